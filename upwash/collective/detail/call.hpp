// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the typed headers share: a call with its buffers, in each of its forms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/collective/call.hpp"

namespace upwash::collective::detail {

/// A call and its buffers; the public headers make these.
struct bound_call {
  call wanted;
  binding buffers;
};

[[nodiscard]] inline request start(const team& among, const bound_call& all) {
  return collective::start(among, all.wanted, all.buffers);
}
inline void run(const team& among, const bound_call& all) {
  collective::run(among, all.wanted, all.buffers);
}
[[nodiscard]] inline persistent prepare(const team& among, const bound_call& all) {
  return collective::prepare(among, all.wanted, all.buffers);
}

/// In the form that a call has.
inline void perform(const team& among, blocking_t, const bound_call& all) { run(among, all); }
[[nodiscard]] inline persistent perform(const team& among, persist_t, const bound_call& all) {
  return prepare(among, all);
}

/// Throws `error` (argument) unless the buffer has as many elements as the collective says.
void check_size(const team& among, kind what, const char* buffer, std::size_t elements,
                std::size_t wanted);

/// Names an operator and its type, the same in all ranks of one program.
template <class T, class Operator>
[[nodiscard]] constexpr std::uint64_t name_of_reduction() noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char* at = __PRETTY_FUNCTION__; *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace upwash::collective::detail
