// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The calls that led somewhere: remembered cheaply, put into words when somebody reads them.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace upwash {

/// Return addresses, the innermost first; null behind the last.
struct call_stack {
  static constexpr std::size_t depth = 16;
  std::array<const void*, depth> calls{};

  /// Of the caller, without the `skipped` innermost functions. About 1 us; allocates at the first
  /// call in a process.
  [[nodiscard]] static call_stack here(std::size_t skipped = 0);

  /// A line for each call: the function, and file and line where the program was built with them
  /// (by addr2line of binutils; where that is missing, the module and the offset in it). Starts a
  /// process for each module: for reports.
  [[nodiscard]] std::vector<std::string> lines() const;

  friend auto operator<=>(const call_stack&, const call_stack&) = default;
};

}  // namespace upwash
