// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by bytes, as functions of C call them: blocking, by request, or set up to be started
// often.
#pragma once

#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/handles.hpp"
#include "interop/c/detail/requests.hpp"
#include "upwash/collective/call.hpp"

namespace upwash::c {

/// What a collective's function makes: a persistent one, or where `made` is null a request; it
/// blocks where both are.
struct outcome {
  upwash_request** request = nullptr;
  upwash_persistent** made = nullptr;
};

inline void keep(upwash_job& on, collective::persistent&& prepared, upwash_persistent** made) {
  *made = new upwash_persistent{&on, std::move(prepared)};  // NOLINT: until upwash_persistent_free
}

inline void perform(const upwash_team& on, const collective::call& wanted,
                    const collective::binding& buffers, const outcome& to) {
  if (to.made != nullptr) {
    return keep(*on.of, collective::prepare(on.members, wanted, buffers), to.made);
  }
  if (to.request == nullptr) return collective::run(on.members, wanted, buffers);
  hand_over(*on.of, collective::start(on.members, wanted, buffers), to.request);
}

/// Runs `body(outcome)` for a function that sets up a collective.
template <class Handle, class Body>
int prepared_by(const Handle* handle, const char* function, upwash_persistent** made,
                const Body& body) {
  return guarded_by(handle, function, [&] {
    given(made, "made") = nullptr;
    body(outcome{.made = made});
  });
}

/// Whether a call says that it is in place: nothing is where there are no bytes.
[[nodiscard]] inline bool in_place(const void* in, const void* out, std::size_t bytes) noexcept {
  return bytes != 0 && in == out;
}

}  // namespace upwash::c
