// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank has begun towards each of its peers, for layers with fences: counts that two ends can
// compare, and puts that nobody acknowledges. Memory: 64 bytes for each peer with which there was
// any, kept. What is done by a plain copy is complete on return and in no count.
#pragma once

#include <cstdint>

#include "upwash/core/request.hpp"

namespace upwash {

class job;

/// Tag: the put is told to nobody at its target; `confirm` asks there.
struct unacknowledged_t {};
inline constexpr unacknowledged_t unacknowledged{};

/// All since the job began.
struct peer_traffic {
  std::uint64_t begun = 0;      ///< puts, atomics and calls that are told when complete there
  std::uint64_t complete = 0;   ///< of them; no more come between equal counts and the next begun
  std::uint64_t sent = 0;       ///< unacknowledged puts by message: the target counts them, too
  std::uint64_t unflushed = 0;  ///< unacknowledged puts that the conduit moved; 0 after `confirm`
  std::uint64_t unsent = 0;     ///< unacknowledged puts whose source is in use: counted later
};

/// Towards a rank of the world; O(1). Throws `error` (argument) for no rank.
[[nodiscard]] peer_traffic traffic_towards(job& here, int rank);

/// Towards all ranks together; O(1).
[[nodiscard]] peer_traffic traffic_towards_all(job& here);

/// Unacknowledged puts by message of that rank that are visible here. O(1). Throws `error`
/// (argument) for no rank.
[[nodiscard]] std::uint64_t arrived_from(job& here, int rank);

/// Blocks until so many of all ranks are visible here, since the job began; makes progress. What a
/// rank must wait for is the sum of what all sent to it (`peer_traffic::sent`), as long as nobody
/// puts on meanwhile: counts of pairs (`arrived_from`) need no such care.
void wait_arrived(job& here, std::uint64_t total);

/// The request is complete when all unacknowledged puts that this rank began to `rank` are visible
/// there. Nonblocking. One message and its answer where any went by message since the last time,
/// a flush where the conduit moved any; else complete at once. Throws `error` (argument) for no
/// rank.
[[nodiscard]] request confirm(job& here, int rank);

}  // namespace upwash
