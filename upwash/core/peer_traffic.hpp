// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts of the operations that a rank has begun towards each peer, for layers with fences: two
// ends can compare them. Also puts without acknowledgement. Memory: 64 bytes, kept, for each peer
// that had any operation. An operation by plain copy is complete on return and is not counted.
#pragma once

#include <cstdint>

#include "upwash/core/request.hpp"

namespace upwash {

class job;

/// Tag: the target sends no completion for the put; `confirm` asks for it.
struct unacknowledged_t {};
inline constexpr unacknowledged_t unacknowledged{};

/// Counts since the job began.
struct peer_traffic {
  std::uint64_t begun = 0;      ///< puts, atomics and calls that report remote completion
  std::uint64_t complete = 0;   ///< completed ones; all, if equal to `begun`
  std::uint64_t sent = 0;       ///< unacknowledged puts by message; the target counts them, too
  std::uint64_t unflushed = 0;  ///< unacknowledged puts that the conduit moved; 0 after `confirm`
  std::uint64_t unsent = 0;     ///< unacknowledged puts whose source is in use: counted later
};

/// Returns the counts towards world rank `rank`. O(1). Throws `error` (argument) if `rank` is not a
/// rank.
[[nodiscard]] peer_traffic traffic_towards(job& here, int rank);

/// Returns the counts towards all ranks together. O(1).
[[nodiscard]] peer_traffic traffic_towards_all(job& here);

/// Returns the number of unacknowledged puts by message from `rank` that are visible here. O(1).
/// Throws `error` (argument) if `rank` is not a rank.
[[nodiscard]] std::uint64_t arrived_from(job& here, int rank);

/// Blocks until `total` unacknowledged puts by message, from all ranks since the job began, are
/// visible here. Makes progress. `total` is the sum of all ranks' `peer_traffic::sent` to this
/// rank. The sum is only meaningful if no rank puts meanwhile; the counts of pairs (`arrived_from`)
/// do not need this condition.
void wait_arrived(job& here, std::uint64_t total);

/// Returns a request that is complete when all unacknowledged puts that this rank began to `rank`
/// are visible there. Nonblocking. Cost: one message and its answer if any put went by message
/// since the last call, and a flush if the conduit moved any. Otherwise complete at once. Throws
/// `error` (argument) if `rank` is not a rank.
[[nodiscard]] request confirm(job& here, int rank);

}  // namespace upwash
