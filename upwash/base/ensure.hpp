// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of what must hold in the library itself, by levels. What the caller did wrong is told by
// `error`, at every level.
#pragma once

#include <concepts>
#include <cstdint>

#ifndef UPWASH_CHECK_LEVEL
#define UPWASH_CHECK_LEVEL cheap  // by CMake's UPWASH_CHECKS, for a library and those who use it
#endif

namespace upwash {

/// Each does what those before it do. off: nothing. cheap: a comparison or two off the paths that
/// count in ns. full: on those as well, and what takes time. collective: members of teams compare
/// what they call, as the knob `checked` has it.
enum class check_level : std::uint8_t { off, cheap, full, collective };

/// Of this build.
inline constexpr check_level checks = check_level::UPWASH_CHECK_LEVEL;

namespace detail {
/// Prints one line with the rank that runs, the place and the values, and aborts the process, which
/// ends the job.
[[noreturn]] void ensure_failed(const char* what, const char* file, int line, std::uint64_t left,
                                std::uint64_t right) noexcept;
}  // namespace detail

/// An invariant: `what` says it in words, `left` and `right` are values that help. Aborts when it
/// does not hold. Nothing below its level; the condition must have no effects.
template <check_level Level = check_level::cheap>
constexpr void ensure(bool holds, const char* what, std::uint64_t left = 0, std::uint64_t right = 0,
                      const char* file = __builtin_FILE(), int line = __builtin_LINE()) noexcept {
  if constexpr (checks >= Level) {
    if (!holds) [[unlikely]]
      detail::ensure_failed(what, file, line, left, right);
  }
}

/// The same where finding out takes time: `holds()` is only called at its level.
template <check_level Level = check_level::full, std::invocable Condition>
constexpr void ensure(const Condition& holds, const char* what, std::uint64_t left = 0,
                      std::uint64_t right = 0, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) noexcept {
  if constexpr (checks >= Level) ensure<Level>(bool{holds()}, what, left, right, file, line);
}

}  // namespace upwash
