// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who changes the program's variables: where ranks share a process, and so the variables, two that
// change one have a bug.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"

namespace upwash::privatize {

/// One that two ranks changed.
struct shared_variable {
  std::string name;
  int first = -1;
  int second = -1;
};

/// Sees values, not stores: a rank that stores what is there has changed nothing. Memory: five
/// times that of the variables, of which it watches `most_bytes`. A look: a comparison of all.
class variable_watch {
 public:
  static constexpr std::size_t most_bytes = std::size_t{16} << 20U;

  /// Of this process's executable and the calling thread, from their symbols; none where they were
  /// stripped. Not those of upwash and of the language's library, which the executable may hold.
  /// `watching` false: nothing.
  explicit variable_watch(bool watching = true);

  [[nodiscard]] std::size_t watched() const noexcept { return variables_.size(); }

  /// What has changed until now is nobody's doing.
  void forgive();
  /// What has changed since is of this rank. `found` is called once for each variable of which two
  /// ranks changed the same byte.
  void blame(int rank, function_ref<void(const shared_variable&)> found);

 private:
  struct variable {
    const std::byte* at = nullptr;
    std::size_t bytes = 0;
    std::string symbol;
    std::vector<std::byte> seen;
    std::vector<int> changed_by;  ///< each byte, -1: nobody; empty: nobody any
    bool told = false;
  };

  void add(const std::byte* at, std::size_t bytes, std::string name);
  static int blame_bytes(variable& one, int rank);

  std::vector<variable> variables_;
  std::size_t bytes_ = 0;
};

}  // namespace upwash::privatize
