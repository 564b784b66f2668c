// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a plan takes, as far as one rank can tell from its own part: by rounds, so that members who
// know only their own plans can agree on one (relay/scheme_costs.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/relay_plan.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"

namespace upwash::neighborhoods {

/// Nanoseconds that this rank adds to each round 0 .. rounds - 1.
struct round_times {
  std::vector<double> work;  ///< of its processor with the turns of a shared core, or of its port
  std::vector<double> latency;  ///< of the slowest of its messages, with all that answers it
  std::vector<double> adapter;  ///< for which its messages hold the adapter that its node shares
};
[[nodiscard]] round_times estimate(const laid_out_plan& layout, int rank, std::size_t rounds,
                                   const cost_terms& in);

/// What members do in shared memory: each lays out `own_blocks` and reads as many as it has
/// `sources`.
struct shared_reading {
  double own_blocks = 0;
  double sources = 0;
};
[[nodiscard]] double estimate(const shared_reading& what, int rank, std::uint64_t bytes,
                              const cost_terms& in);

/// Less than that no plan takes in which blocks go on from where they came.
[[nodiscard]] double least_of_relaying(int rank, const cost_terms& in);

/// What a scheme does at least, as far as graph and nodes tell without a plan: rounds one after the
/// other, of messages between nodes and inside them, and what the busiest rank sends or reads.
struct least_effort {
  double far_rounds = 0;
  double near_rounds = 0;
  double messages = 0;
  double far_messages = 0;  ///< of these between nodes
};
/// The time that takes at least, where the busiest rank gets `volume` bytes. The same at all ranks.
[[nodiscard]] double least_time(const least_effort& effort, double volume, const cost_terms& in);

/// Whether some ranks share nodes, and messages there cost less than others.
[[nodiscard]] bool is_near_cheaper(const cost_terms& in);

/// Rounds up to the last in which a rank takes part.
[[nodiscard]] std::size_t rounds_of(const relay_plan& plan) noexcept;

}  // namespace upwash::neighborhoods
