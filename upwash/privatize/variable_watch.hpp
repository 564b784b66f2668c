// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Detects program variables that several ranks change. Ranks that share a process share its
// variables, so two ranks that change one have a bug.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"

namespace upwash::privatize {

/// A variable that two ranks changed.
struct shared_variable {
  std::string name;
  int first = -1;
  int second = -1;
};

/// Compares values; it does not see stores. A rank that stores the present value changes nothing.
/// Memory: five times that of the watched variables, at most `most_bytes` of them. Cost of a look:
/// a comparison of all watched bytes.
class variable_watch {
 public:
  static constexpr std::size_t most_bytes = std::size_t{16} << 20U;

  /// Watches the variables of this process's executable and of the calling thread, found by their
  /// symbols. A stripped executable has none. Variables of upwash and of the language's library in
  /// the executable are excluded. `watching` false: watches nothing.
  explicit variable_watch(bool watching = true);

  [[nodiscard]] std::size_t watched() const noexcept { return variables_.size(); }

  /// Assigns all changes so far to no rank.
  void forgive();
  /// Assigns the changes since the last look to `rank`. Calls `found` once for each variable in
  /// which two ranks changed the same byte.
  void blame(int rank, function_ref<void(const shared_variable&)> found);

 private:
  struct variable {
    const std::byte* at = nullptr;
    std::size_t bytes = 0;
    std::string symbol;
    std::vector<std::byte> seen;
    std::vector<int> changed_by;  ///< rank by byte, -1: none; empty: no byte changed
    bool told = false;
  };

  void add(const std::byte* at, std::size_t bytes, std::string name);
  static int blame_bytes(variable& one, int rank);

  std::vector<variable> variables_;
  std::size_t bytes_ = 0;
};

}  // namespace upwash::privatize
