// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: nobody leaves before all have entered. Here those without a tree (tree_barrier.hpp,
// signal_tree_barrier.hpp). Any P.
#pragma once

#include <bit>
#include <cstdint>

#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Of any dissemination.
inline constexpr int most_radix = detail::dissemination::most_radix;

/// Idea: in round r tell the ranks 1 to k-1 times k^r further and hear from those before; after
/// round r a rank knows of k^(r+1) ranks. Cost: (k-1) ceil(log_k P) messages of no bytes a rank at
/// most, ceil(log_k P) rounds. Source: Hensgen, Finkel and Manber 1988, there with k = 2.
[[nodiscard]] schedule::generator dissemination_barrier(int ranks, int rank, int radix = 2);

/// The same as a part of other schedules. Its last step is a receive, behind which all have
/// entered; a single rank has none.
[[nodiscard]] schedule::steps barrier_by_dissemination(schedule::script& out, int ranks, int rank,
                                                       int radix = 2);

/// Rounds of radix 2, an edge each.
[[nodiscard]] constexpr std::uint32_t dissemination_rounds(int ranks) noexcept {
  return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

/// Idea: in round i tell the vertex whose number differs in bit i, and hear from it. Ranks beyond
/// the cube tell a vertex first and hear from it at the end. Cost: log2 P messages of no bytes a
/// rank; with ranks beyond the cube at most one more. Source: Hensgen, Finkel and Manber 1988, the
/// butterfly that dissemination replaces.
[[nodiscard]] schedule::generator pairwise_barrier(int ranks, int rank);

/// Idea: all count up one counter at rank 0, and watch it until it says P. Cost: P additions to one
/// word, one after the other, and P-1 ranks that look at it from afar: fit for few ranks with one
/// memory; without common memory a look is a message there and back. Source: Nishtala et al. 2009,
/// the barrier of POSIX threads.
[[nodiscard]] schedule::generator central_counter_barrier(int ranks);

}  // namespace upwash::collective
