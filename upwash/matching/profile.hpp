// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of the queues of an earlier run. Source: Ghazimirsaeed 2019, chapters 3 and 4
// (Num-of-QE, the elements that each process adds to a queue; one matrix for each of the two
// queues).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "upwash/matching/partitions/router.hpp"
#include "upwash/matching/trace.hpp"

namespace upwash::matching {

/// The profile of one queue of one rank.
struct queue_profile {
  std::vector<std::uint64_t> by_source;  ///< queued entries of all contexts
  std::vector<queued_of> by_context;     ///< queued entries by context, in the order of `events`
};

struct match_profile {
  queue_profile posted;
  queue_profile unexpected;
};

/// Replays the events of rank `receiver`, in their order, and counts the queued entries. A message
/// or receive that matched at once was not queued, and probes never are. Receives from any source
/// belong to no rank. O(events).
[[nodiscard]] match_profile profile_of(std::span<const trace_event> events, std::int32_t receiver,
                                       std::int32_t ranks);
/// Returns the profile of a trace. If the recording FILE.RANK exists, only this file is read.
/// Throws as `read_trace`.
[[nodiscard]] match_profile read_profile(const std::string& path, std::int32_t rank,
                                         std::int32_t ranks);

}  // namespace upwash::matching
