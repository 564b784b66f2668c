// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that were set up (the functions of collectives.cpp and its like that end in
// _prepare): started, and given back.
#include "upwash/collective/persistent.hpp"

#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/requests.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

extern "C" {

int upwash_start(upwash_persistent* persistent, upwash_request** request) {
  return guarded_by(persistent, "upwash_start", [&] {
    if (request == nullptr) return persistent->kept.run();
    hand_over(*persistent->of, persistent->kept.start(), request);
  });
}

int upwash_persistent_free(upwash_persistent** persistent) {
  if (persistent == nullptr) return UPWASH_ARGUMENT;
  return guarded_by(*persistent, "upwash_persistent_free", [&] {
    delete std::exchange(*persistent, nullptr);  // NOLINT: made by `keep`
  });
}

}  // extern "C"
