// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fences: all data that this rank stored is visible at its target. Source: Saify 2002, chapter 3.
// Puts, atomics and calls with completion have their answers on the way: a fence waits for them.
// For puts without acknowledgement a fence asks their targets (`confirm`), and no others. The data
// of a plain copy is visible already.
#pragma once

#include <cstdint>

#include "upwash/base/call_site.hpp"

namespace upwash {

class job;

/// The order in which a fence asks the targets.
enum class fence_order : std::uint8_t {
  /// One request and its answer, then the next, by rising rank: the original of the thesis.
  sequential,
  /// `in_flight` requests and all their answers, then the next batch. Each rank draws its own
  /// order, so that not all ranks ask the same target at once. This is the method that the thesis
  /// proposes.
  batches,
  /// Asks in a random order too, with `in_flight` requests under way at any time.
  window,
};

struct fence_options {
  fence_order order = fence_order::window;
  /// The thesis' K; at least 1. In the thesis, K is the capacity of buffers common to all targets.
  /// Here each pair has its own credit, so the value only limits the number of answers at a time.
  int in_flight = 16;
};

/// The cost of a fence.
struct fence_count {
  int asked = 0;   ///< targets asked: each a request and answer, or a conduit flush
  int rounds = 0;  ///< waits for all answers; `window`: 1 if it asked any
};

/// Blocks until all earlier operations of this rank towards world rank `rank` are visible there.
/// Makes progress. Not from a handler, and not during a call that waits for an answer that this
/// rank itself must produce. Cost: at most one question and its answer. Throws `error` (argument)
/// if `rank` is not a rank.
/// @code
/// void publish(upwash::job& here, upwash::global_ptr<int> to, std::span<const int> values) {
///   upwash::put(here, to, values, upwash::unacknowledged).detach();
///   upwash::fence(here, to.rank());  // Now the values are visible at their target.
/// }
/// @endcode
void fence(job& here, int rank, call_site site = call_site::current());

/// Fences all ranks, otherwise as `fence`. Cost: O(ranks) looks at counts in addition to the
/// questions. Memory: 16 bytes for each rank that was ever asked. Throws `error` (argument) for
/// `in_flight` below 1.
fence_count fence_all(job& here, const fence_options& how = {},
                      call_site site = call_site::current());

}  // namespace upwash
