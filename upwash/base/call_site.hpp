// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The location of a call in the program.
#pragma once

#include <cstdint>

namespace upwash {

/// The location of a call in the program, for reports of jobs that hang and errors of checked runs.
/// The default argument of public calls. (Clang 14 has no std::source_location yet.)
struct call_site {
  const char* file = "";  ///< a literal; empty: unknown
  std::uint32_t line = 0;

  /// Returns the location. As a default argument: the line of the call.
  [[nodiscard]] static constexpr call_site current(const char* file = __builtin_FILE(),
                                                   std::uint32_t line = __builtin_LINE()) noexcept {
    return {file, line};
  }

  /// Returns the file's name without its folders. Async-signal-safe.
  [[nodiscard]] constexpr const char* name() const noexcept {
    const char* last = file;
    for (const char* at = file; *at != '\0'; ++at) {
      if (*at == '/') last = at + 1;
    }
    return last;
  }
};

}  // namespace upwash
