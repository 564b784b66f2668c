// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What lay in the queues of an earlier run (Ghazimirsaeed 2019, chapters 3 and 4: Num-of-QE, the
// elements that each process adds to a queue; one matrix for each of the two queues).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "upwash/matching/partitions/router.hpp"
#include "upwash/matching/trace.hpp"

namespace upwash::matching {

/// Of one queue of one rank.
struct queue_profile {
  std::vector<std::uint64_t> by_source;  ///< entries that were queued, of all contexts
  std::vector<queued_of> by_context;     ///< the same by context, in the order of `events`
};

struct match_profile {
  queue_profile posted;
  queue_profile unexpected;
};

/// Replays the events of rank `receiver`, in their order, and counts what was queued: a message or
/// receive that met its other half at once was not, and probes never are. Receives of any source
/// are nobody's. O(events).
[[nodiscard]] match_profile profile_of(std::span<const trace_event> events, std::int32_t receiver,
                                       std::int32_t ranks);
/// The same of a trace; the recording FILE.RANK alone is read where there is one. Throws as
/// `read_trace`.
[[nodiscard]] match_profile read_profile(const std::string& path, std::int32_t rank,
                                         std::int32_t ranks);

}  // namespace upwash::matching
