// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A resumable generator of steps: a cursor of bounded size, copied freely, that emits one rank's
// steps in topological order. An algorithm is a plain struct with `bool next(step&)`; storing a
// schedule is just one more consumer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "upwash/schedule/step.hpp"

namespace upwash::schedule {

/// What an algorithm is: a plain value that emits steps, and says what it needs of an executor.
template <class Algorithm>
concept algorithm = std::is_trivially_copyable_v<Algorithm> &&
    requires(Algorithm& a, const Algorithm& c, step& out) {
  { a.next(out) } -> std::same_as<bool>;
  { c.window() } -> std::convertible_to<std::uint32_t>;
  { c.scratch_bytes() } -> std::convertible_to<std::uint64_t>;
};

/// Any algorithm, type-erased in place: no allocation, 256 bytes of state at most.
class generator {
 public:
  static constexpr std::size_t state_bytes = 256;

  template <algorithm Algorithm>
  explicit generator(const Algorithm& from)
      : next_([](std::byte* state, step& out) { return at<Algorithm>(state).next(out); }),
        window_(from.window()),
        scratch_bytes_(from.scratch_bytes()) {
    static_assert(sizeof(Algorithm) <= state_bytes && alignof(Algorithm) <= alignof(void*));
    ::new (static_cast<void*>(state_)) Algorithm(from);
  }

  /// The next step, or false at the end. O(1).
  bool next(step& out) {
    out = {};
    return next_(state_, out);
  }

  /// No step waits for one emitted more than so many steps before it.
  [[nodiscard]] std::uint32_t window() const noexcept { return window_; }
  /// Bytes of scratch that the whole run needs.
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return scratch_bytes_; }

 private:
  template <class Algorithm>
  static Algorithm& at(std::byte* state) {
    return *std::launder(reinterpret_cast<Algorithm*>(state));
  }

  bool (*next_)(std::byte*, step&);
  std::uint32_t window_;
  std::uint64_t scratch_bytes_;
  alignas(void*) std::byte state_[state_bytes] = {};
};

}  // namespace upwash::schedule
