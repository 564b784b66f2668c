// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: rank i sends m bytes to each of i+1 .. i+degree (modulo P), as a benchmark of uniform
// many-to-many does. Idea: all at once; where receivers are not to know, acknowledged, and a
// barrier behind. Cost: degree messages of m bytes; acknowledged: an answer each, and ceil(log2 P)
// messages more. Restrictions: a degree below P. Source: Kumar 2005, 3.3.1, equations 3.20, 3.24.
//
// It says what a many-to-many takes; its receives know their senders.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/dissemination_barrier.hpp"

namespace upwash::collective {

class neighbor_send {
 public:
  /// Input: a block for each destination in turn; output: one of each source.
  neighbor_send(int ranks, int rank, int degree, std::uint64_t bytes, bool acknowledged)
      : ranks_(ranks),
        rank_(rank),
        degree_(degree),
        bytes_(bytes),
        acknowledged_(acknowledged),
        barrier_(ranks, rank) {}

  bool next(schedule::step& out, schedule::tape& on);
  /// The barrier's; the rest is room for messages to overlap.
  [[nodiscard]] std::uint32_t window() const noexcept { return 64 + barrier_.window(); }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  void exchange(schedule::step& out, schedule::tape& on);

  int ranks_;
  int rank_;
  int degree_;
  std::uint64_t bytes_;
  bool acknowledged_;
  int sent_ = 0;
  bool receives_ = false;
  schedule::mark all_there_ = schedule::never;
  dissemination_barrier barrier_;
};

}  // namespace upwash::collective
