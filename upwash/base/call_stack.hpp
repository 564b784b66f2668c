// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Call stacks: recorded cheaply, converted to text when they are read.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace upwash {

/// Return addresses, the innermost first; null after the last.
struct call_stack {
  static constexpr std::size_t depth = 16;
  std::array<const void*, depth> calls{};

  /// Returns the stack of the caller, without the `skipped` innermost functions. About 1 us;
  /// allocates at the first call in a process.
  [[nodiscard]] static call_stack here(std::size_t skipped = 0);

  /// Returns a line for each call: the function, and file and line if the program was built with
  /// them. Uses addr2line of binutils; without it a line holds the module and the offset in the
  /// module. Starts a process for each module: for reports only.
  [[nodiscard]] std::vector<std::string> lines() const;

  friend auto operator<=>(const call_stack&, const call_stack&) = default;
};

}  // namespace upwash
