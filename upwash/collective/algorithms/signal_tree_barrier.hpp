// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: nobody leaves before all have entered, in common memory. Idea: up a tree and down again
// by counters. Push: count up the other's, who watches his own; pull: count up one's own, which the
// other watches. Cost: P-1 signals each way (a pulled release: one of each rank with children), two
// counters a rank. Restrictions: none; without common memory a look is a message there and back.
// Source: Nishtala et al. 2009, barrier (tree algorithm).
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

class signal_tree_barrier {
 public:
  enum class signalling : std::uint8_t { push, pull };
  struct parameters {
    model::tree_shape shape{};
    signalling arrival = signalling::push;
    signalling release = signalling::push;
  };

  signal_tree_barrier(int ranks, int rank, int root, const parameters& chosen)
      : tree_(chosen.shape, ranks, root, rank),
        arrival_(chosen.arrival),
        release_(chosen.release) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return schedule::milestone::reach; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] std::uint32_t counter_count() const noexcept { return 2; }

 private:
  enum class phase : std::uint8_t { gather, tell, hear, release };
  enum counter : std::uint32_t { arrived, released };

  bool gather(schedule::step& out, schedule::tape& on);
  void tell(schedule::step& out, schedule::tape& on);
  void hear(schedule::step& out, schedule::tape& on);
  bool release(schedule::step& out, schedule::tape& on);

  model::tree_place tree_;
  signalling arrival_;
  signalling release_;
  phase phase_ = phase::gather;
  int child_ = 0;
  schedule::milestone here_;  ///< all that was to come has
};

}  // namespace upwash::collective
