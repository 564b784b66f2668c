// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A fence of all members of a team and a barrier, in one. After Saify 2002, chapter 4:
//
//   put(here, place, words, unacknowledged).detach();   // any number, to any members
//   fence_barrier(team);                                // now each finds in its memory what all
//   put
//
// Two pairwise exchanges. The first tells each member how many puts of which member are on their
// way to it; when these have come, the second is the barrier. The thesis tells each the sum over
// all members. Here the counts of a pair stay apart, because the puts of a pair come in order and
// those of different ranks do not: a put that was begun behind the call (by a handler, or where the
// call returns a request) would stand in the sum for one that has not come. And counts only grow:
// the thesis sets them to zero after the barrier (figure 4.2), when puts of the next round may be
// there.
#pragma once

#include <cstdint>

#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/onesided/fence.hpp"

namespace upwash {

enum class fence_barrier_kind : std::uint8_t {
  /// `combined`; the barrier alone where all members load and store each other's memory, because
  /// there a put is done when it returns. Logged once a team (info).
  automatic,
  /// The two exchanges, wherever the members are.
  combined,
  /// Each member fences whom it must, then the barrier: what the thesis starts from.
  separate,
};

struct fence_barrier_options {
  fence_barrier_kind kind = fence_barrier_kind::automatic;
  fence_options fence = {};  ///< of `separate`
};

/// What it took this rank.
struct fence_barrier_count {
  int asked = 0;            ///< `separate`: targets, each a question and its answer, or a flush
  int messages = 0;         ///< sent for exchanges and barrier; barriers in shared memory have none
  std::uint64_t pairs = 0;  ///< counts that its messages carried, 16 bytes each
};

/// Collective over `among`, blocking; makes progress. When it returns, all that any member began
/// towards a member before its call is visible there, also to plain loads: puts of all kinds,
/// atomics, calls. What goes to other ranks is not waited for. Operations on own memory are copies
/// and need none of it. All members choose the same kind, and all this form or all the other one.
/// Not from a handler, nor while a call waits for an answer that the rank itself must bring about.
///
/// Messages of a rank, with N members, 2^L the largest power of two that is not above N: 2 L; the
/// N - 2^L members above have 2, those that they join 2 L + 2; in all 2 L 2^L + 4 (N - 2^L). The
/// counts of a pair are told only where puts went from the one to the other since they were last
/// known to be there. Memory: 16 bytes a pair on its way, at most the targets of the team's puts
/// that a rank passes on (N, where all put to all: the one exception to memory sublinear in N);
/// kept: 16 bytes for each target ever, 48 for the team. O(1) beside the messages where nothing is
/// to be fenced, else O(N) looks at counts. Throws `error` (argument) for `fence.in_flight`
/// below 1.
fence_barrier_count fence_barrier(const team& among, const fence_barrier_options& how = {},
                                  call_site site = call_site::current());

/// The same as a request, kind `automatic`; the barrier alone is then the second exchange. Any
/// number on different teams, and one after the other on a team without waiting between, in the
/// same order at all members. What is begun behind the call may be waited for, too: an operation
/// that is told when complete, until there is a moment with none under way. Nonblocking, also in
/// handlers.
[[nodiscard]] request fence_barrier_async(const team& among);

}  // namespace upwash
