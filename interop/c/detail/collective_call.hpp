// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by bytes, as functions of C call them.
#pragma once

#include "interop/c/detail/handles.hpp"
#include "interop/c/detail/requests.hpp"
#include "upwash/collective/call.hpp"

namespace upwash::c {

/// Blocks where `told` is null, else makes a handle.
inline void perform(const upwash_team& on, const collective::call& wanted,
                    const collective::binding& buffers, upwash_request** told) {
  if (told == nullptr) return collective::run(on.members, wanted, buffers);
  hand_over(*on.of, collective::start(on.members, wanted, buffers), told);
}

/// Whether a call says that it is in place: nothing is where there are no bytes.
[[nodiscard]] inline bool in_place(const void* in, const void* out, std::size_t bytes) noexcept {
  return bytes != 0 && in == out;
}

}  // namespace upwash::c
