// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the cores of ranks 0 and 1 lie just now: two lines of memory, and how long a word takes.
// Where they have no memory in common nobody sees it.
#pragma once

#include "upwash/core/job.hpp"
#include "upwash/core/region.hpp"
#include "upwash/tuning/placement.hpp"

namespace upwash::tuning {

class placement_probe {
 public:
  /// Collective over the world.
  explicit placement_probe(job& here);
  /// Collective over the world. Throws what ends ranks.
  ~placement_probe() noexcept(false);
  placement_probe(const placement_probe&) = delete;
  placement_probe& operator=(const placement_probe&) = delete;

  /// What rank 0 sees; ranks above 1 answer near. Collective, blocking: some microseconds.
  [[nodiscard]] placement look();

  /// Whether ranks share cores: then waiting yields.
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
  /// Waits for a word: spins and yields now and then, or always where ranks share cores; where they
  /// share processes the others go on meanwhile.
  void relax();

 private:
  [[nodiscard]] double one_way_ns();
  [[nodiscard]] std::uint64_t* word_of(int rank);

  job& here_;
  bool simulated_;
  bool share_processes_;  ///< any of them: the same at all ranks
  bool oversubscribed_;
  bool apart_;  ///< ranks 0 and 1: the same at all ranks
  region lines_;
  std::uint64_t round_ = 0;
  std::uint32_t turns_ = 0;
};

}  // namespace upwash::tuning
