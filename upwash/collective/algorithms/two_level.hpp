// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: barrier and all-reduce where ranks come in groups that are close, as those that take
// turns in a process. Consecutive ranks are a group; the groups are even, the first ones perhaps
// one larger. Its first rank leads it. Any P, any number of groups, any order of operands is kept.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct two_level_call {
  int ranks = 1;
  int rank = 0;
  int groups = 1;  ///< 1 to ranks
  std::uint64_t bytes = 0;
  bool in_place = false;
};

/// Idea: members count up their leader's counter; leaders look at each other's; members watch their
/// leader's second one. Cost: one signal and one look a member, as many looks as groups a leader.
/// Restrictions: none. Source: Nishtala et al. 2009, leverage shared memory.
[[nodiscard]] schedule::generator two_level_barrier(const two_level_call& of);

/// Idea: the same with vectors: the leader combines those of its group in shared scratch, each
/// leader combines what the leaders have, and members copy their leader's result. Cost: (P/groups +
/// groups) m bytes combined at a leader, 2 m copied at the others, where all would combine P m.
/// Restrictions: shared memory. Source: Nishtala et al. 2009, leverage shared memory.
[[nodiscard]] schedule::generator two_level_all_reduce(const two_level_call& of);

/// What the all-reduce takes of shared scratch.
[[nodiscard]] std::uint64_t two_level_bytes(const two_level_call& of) noexcept;

}  // namespace upwash::collective
