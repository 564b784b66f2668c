// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: no rank leaves before all have entered. The barriers here use no tree (tree_barriers.hpp
// has those). Any P.
#pragma once

#include <bit>
#include <cstdint>

#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// For any dissemination.
inline constexpr int most_radix = detail::dissemination::most_radix;

/// Idea: in round r a rank notifies the ranks at distances 1 to k-1 times k^r and hears from those
/// before. After round r it knows of k^(r+1) ranks. Cost: at most (k-1) ceil(log_k P) empty
/// messages a rank, ceil(log_k P) rounds. Source: Hensgen, Finkel and Manber 1988, there with k =
/// 2.
[[nodiscard]] schedule::generator dissemination_barrier(int ranks, int rank, int radix = 2);

/// The same barrier as a part of other schedules. Its last step is a receive, after which all have
/// entered; a single rank has no step.
[[nodiscard]] schedule::steps barrier_by_dissemination(schedule::script& out, int ranks, int rank,
                                                       int radix = 2);

/// Number of rounds of radix 2, with one edge each.
[[nodiscard]] constexpr std::uint32_t dissemination_rounds(int ranks) noexcept {
  return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

/// Idea: in round i a rank notifies the vertex that differs in bit i, and hears from it. Ranks
/// beyond the cube notify a vertex first and hear from it at the end. Cost: log2 P empty messages a
/// rank; with ranks beyond the cube at most one more. Source: Hensgen, Finkel and Manber 1988, the
/// butterfly that dissemination replaces.
[[nodiscard]] schedule::generator pairwise_barrier(int ranks, int rank);

/// Idea: all ranks increment one counter at rank 0, and poll it until it equals P. Cost: P
/// consecutive additions to one word, and P-1 ranks that poll it remotely: for few ranks with
/// shared memory. Without shared memory a poll is a message round trip. Source: Nishtala et al.
/// 2009, the barrier of POSIX threads.
[[nodiscard]] schedule::generator central_counter_barrier(int ranks);

}  // namespace upwash::collective
