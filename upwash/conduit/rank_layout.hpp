// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The assignment of ranks to processes of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upwash::conduit {

/// The largest number of ranks of a job in its own processes.
inline constexpr int most_ranks = 65536;

/// Consecutive ranks share a process, in the order of the processes. Each process has at least one
/// rank. Memory: 4 bytes a rank if any process has several ranks.
class rank_layout {
 public:
  /// Returns the most even layout: the first `ranks % processes` processes host one rank more.
  /// Throws `error` (argument) unless there are 1 to `ranks` processes.
  [[nodiscard]] static rank_layout even(int ranks, int processes);

  /// Returns the layout in the fewest processes of at most `most` ranks each, as even as possible.
  /// Throws likewise.
  [[nodiscard]] static rank_layout at_most(int most, int ranks);

  /// Uses the given number of ranks of each process. Throws `error` (argument) for a number below
  /// 1.
  explicit rank_layout(std::span<const int> counts);

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int processes() const noexcept { return processes_; }
  [[nodiscard]] bool one_each() const noexcept { return ranks_ == processes_; }

  [[nodiscard]] int process_of(int rank) const noexcept {
    return one_each() ? rank : static_cast<int>(process_[static_cast<std::size_t>(rank)]);
  }
  /// Returns the first rank of a process. `process` may be processes(): then the result is ranks().
  [[nodiscard]] int first_of(int process) const noexcept {
    return one_each() ? process : first_[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] int count_of(int process) const noexcept {
    return first_of(process + 1) - first_of(process);
  }
  /// Returns the index of a rank among the ranks of its process.
  [[nodiscard]] int local_of(int rank) const noexcept { return rank - first_of(process_of(rank)); }

 private:
  int ranks_ = 0;
  int processes_;
  std::vector<std::uint32_t> process_;  ///< by rank; empty if each rank has its own process
  std::vector<int> first_;              ///< by process, and the end; empty likewise
};

}  // namespace upwash::conduit
