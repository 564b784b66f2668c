// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of the library's own invariants, by levels. Errors of the caller are reported by `error`,
// at every level.
#pragma once

#include <concepts>
#include <cstdint>

#ifndef UPWASH_CHECK_LEVEL
#define UPWASH_CHECK_LEVEL cheap  // set by CMake's UPWASH_CHECKS, for a library and its users
#endif

namespace upwash {

/// The levels; each includes the previous ones. off: no checks. cheap: a comparison or two, outside
/// the paths that count in ns. full: also on these paths, and checks that take time. collective:
/// members of teams compare their calls, as the knob `checked` does.
enum class check_level : std::uint8_t { off, cheap, full, collective };

/// The level of this build.
inline constexpr check_level checks = check_level::UPWASH_CHECK_LEVEL;

namespace detail {
/// Prints one line with the running rank, the location and the values, and aborts the process,
/// which ends the job.
[[noreturn]] void ensure_failed(const char* what, const char* file, int line, std::uint64_t left,
                                std::uint64_t right) noexcept;
}  // namespace detail

/// Checks an invariant and aborts if it does not hold. `what` states the invariant in words; `left`
/// and `right` are values for the message. Does nothing below its level. The condition must have no
/// effects.
template <check_level Level = check_level::cheap>
constexpr void ensure(bool holds, const char* what, std::uint64_t left = 0, std::uint64_t right = 0,
                      const char* file = __builtin_FILE(), int line = __builtin_LINE()) noexcept {
  if constexpr (checks >= Level) {
    if (!holds) [[unlikely]]
      detail::ensure_failed(what, file, line, left, right);
  }
}

/// Checks an invariant that takes time to evaluate: `holds()` is only called at its level.
template <check_level Level = check_level::full, std::invocable Condition>
constexpr void ensure(const Condition& holds, const char* what, std::uint64_t left = 0,
                      std::uint64_t right = 0, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) noexcept {
  if constexpr (checks >= Level) ensure<Level>(bool{holds()}, what, left, right, file, line);
}

}  // namespace upwash
