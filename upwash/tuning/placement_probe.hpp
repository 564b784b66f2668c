// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Detects the current placement of the cores of ranks 0 and 1, from the time that a word takes
// between two cache lines. Without shared memory the placement is not visible.
#pragma once

#include "upwash/core/job.hpp"
#include "upwash/core/region.hpp"
#include "upwash/tuning/placement.hpp"

namespace upwash::tuning {

class placement_probe {
 public:
  /// Collective over the world.
  explicit placement_probe(job& here);
  /// Collective over the world. Rethrows exceptions that end ranks.
  ~placement_probe() noexcept(false);
  placement_probe(const placement_probe&) = delete;
  placement_probe& operator=(const placement_probe&) = delete;

  /// Returns the placement that rank 0 sees; ranks above 1 return near. Collective, blocking: some
  /// microseconds.
  [[nodiscard]] placement look();

  /// Returns whether ranks share cores; waiting then yields.
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
  /// Pauses while waiting for a word: spins and sometimes yields, or always yields if ranks share
  /// cores. If ranks share processes, the other ranks run meanwhile.
  void relax();

 private:
  [[nodiscard]] double one_way_ns();
  [[nodiscard]] std::uint64_t* word_of(int rank);

  job& here_;
  bool simulated_;
  bool share_processes_;  ///< any of them; the same at all ranks
  bool oversubscribed_;
  bool apart_;  ///< ranks 0 and 1; the same at all ranks
  region lines_;
  std::uint64_t round_ = 0;
  std::uint32_t turns_ = 0;
};

}  // namespace upwash::tuning
