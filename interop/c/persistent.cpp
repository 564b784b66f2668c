// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that were set up (the functions of collectives.cpp and its like that end in _prepare):
// started, and given back.
#include "upwash/collective/persistent.hpp"

#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/requests.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

namespace {

/// One overload for each kind of call.
struct starting {
  const upwash_persistent& what;
  upwash_request** request;

  void operator()(upwash::collective::persistent& kept) const {
    if (request == nullptr) return kept.run();
    hand_over(*what.of, kept.start(), request);
  }
  void operator()(upwash::matching::persistent_send& kept) const {
    hand_over(*what.of, kept.start(), request);
  }
  void operator()(upwash::matching::persistent_receive& kept) const {
    hand_over(*what.of, kept.start(), what.receipt, request);
  }
};

}  // namespace

extern "C" {

int upwash_start(upwash_persistent* persistent, upwash_request** request) {
  return guarded_by(persistent, "upwash_start", [&] {
    std::visit(starting{*persistent, request}, persistent->kept);
  });
}

int upwash_persistent_free(upwash_persistent** persistent) {
  if (persistent == nullptr) return UPWASH_ARGUMENT;
  return guarded_by(*persistent, "upwash_persistent_free", [&] {
    delete std::exchange(*persistent, nullptr);  // NOLINT: made by `keep`
  });
}

}  // extern "C"
