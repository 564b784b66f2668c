// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: barrier and all-reduce for ranks in close groups, for example ranks that share a
// process. A group has consecutive ranks; groups are equal, the first ones perhaps one larger. The
// first rank of a group leads it. Any P, any number of groups; the order of operands is kept.
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

/// Idea: members increment their leader's counter; leaders poll each other's; members poll their
/// leader's second one. Cost: one signal and one poll a member, as many polls as groups a leader.
/// Restrictions: none. Source: Nishtala et al. 2009, leverage shared memory.
[[nodiscard]] schedule::generator two_level_barrier(const two_level_call& of);

/// Idea: the same with vectors. The leader combines those of its group in shared scratch, each
/// leader combines the results of all leaders, and members copy their leader's result. Cost:
/// (P/groups + groups) m bytes combined at a leader, 2 m copied at the others, instead of P m
/// combined at each. Restrictions: shared memory. Source: Nishtala et al. 2009, leverage shared
/// memory.
[[nodiscard]] schedule::generator two_level_all_reduce(const two_level_call& of);

/// Returns the shared scratch that the all-reduce needs.
[[nodiscard]] std::uint64_t two_level_bytes(const two_level_call& of) noexcept;

}  // namespace upwash::collective
