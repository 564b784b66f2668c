// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A fence of all members of a team combined with a barrier. Source: Saify 2002, chapter 4. Consists
// of two pairwise exchanges: the first tells each member how many puts of each member are on their
// way to it. When these puts have arrived, the second exchange is the barrier.
#pragma once

#include <cstdint>

#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/onesided/fence.hpp"

namespace upwash {

enum class fence_barrier_kind : std::uint8_t {
  /// `combined`. If all members load and store each other's memory, only the barrier, because a put
  /// is then done when it returns. Logged once a team (info).
  automatic,
  /// The two exchanges, for any placement of members.
  combined,
  /// Each member fences its own targets, then the barrier: the starting point of the thesis.
  separate,
};

struct fence_barrier_options {
  fence_barrier_kind kind = fence_barrier_kind::automatic;
  fence_options fence = {};  ///< for `separate`
};

/// The cost of the call at this rank.
struct fence_barrier_count {
  int asked = 0;            ///< `separate`: targets, each a question and its answer, or a flush
  int messages = 0;         ///< sent for exchanges and barrier; 0 for barriers in shared memory
  std::uint64_t pairs = 0;  ///< counts in its messages, 16 bytes each
};

/// Waits until all that any member began towards a member before its call is visible there, also to
/// plain loads: puts of all kinds, atomics, calls. Collective over `among`, blocking; makes
/// progress.
///
/// Does not wait for operations towards ranks outside the team. Operations on own memory are copies
/// and need no wait. All members choose the same kind, and all call this form or all
/// `fence_barrier_async`. Not from a handler, and not during a call that waits for an answer that
/// this rank itself must produce.
///
/// With N members and 2^L the largest power of two not above N, a rank sends 2 L messages. The N -
/// 2^L members above send 2, and their partners 2 L + 2. The total is 2 L 2^L + 4 (N - 2^L). The
/// count of a pair is sent only if puts went from one to the other since their arrival was last
/// known.
///
/// Memory: 16 bytes for each pair on its way. These are at most the targets of the team's puts that
/// a rank forwards (N, if all put to all: the one exception to memory sublinear in N). Kept: 16
/// bytes for each target ever, and 48 bytes for the team. Time in addition to the messages: O(1) if
/// nothing is to be fenced, else O(N) looks at counts.
///
/// Difference from the thesis, which sends each member the sum over all members: here the counts of
/// each pair stay apart. Puts of a pair arrive in order, but puts of different ranks do not. A put
/// that began after the call (by a handler, or with a request) would count in the sum for a put
/// that has not arrived. Counts only grow: the thesis resets them after the barrier (figure 4.2),
/// when puts of the next round may have arrived.
///
/// Throws `error` (argument) for `fence.in_flight` below 1.
/// @code
/// void exchange(upwash::job& here, const upwash::team& team, upwash::global_ptr<int> to,
///               std::span<const int> words) {
///   upwash::put(here, to, words, upwash::unacknowledged).detach();  // any number, to any members
///   upwash::fence_barrier(team);
///   // Now each member has the words of all others in its memory.
/// }
/// @endcode
fence_barrier_count fence_barrier(const team& among, const fence_barrier_options& how = {},
                                  call_site site = call_site::current());

/// Starts a fence barrier of kind `automatic` and returns a request. If only the barrier is needed,
/// it is the second exchange. Nonblocking, also in handlers.
///
/// Any number may run on different teams. On one team they may follow each other without a wait, in
/// the same order at all members. The request may also wait for operations with completion that
/// begin after the call, until there is a moment without any in flight.
[[nodiscard]] request fence_barrier_async(const team& among);

}  // namespace upwash
