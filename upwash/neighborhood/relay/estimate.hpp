// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Estimates the time of a plan from one rank's own part, by rounds. Members that know only their
// own plans can thus agree on one (relay/scheme_costs.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/relay_plan.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"

namespace upwash::neighborhoods {

/// Nanoseconds that this rank adds to each round 0 to rounds - 1.
struct round_times {
  std::vector<double> work;  ///< of its processor with the turns of a shared core, or of its port
  std::vector<double> latency;  ///< of the slowest of its messages, with its answers
  std::vector<double> adapter;  ///< for which its messages occupy the node's shared adapter
};
[[nodiscard]] round_times estimate(const laid_out_plan& layout, int rank, std::size_t rounds,
                                   const cost_terms& in);

/// An exchange in shared memory: each member lays out `own_blocks` and reads `sources` blocks.
struct shared_reading {
  double own_blocks = 0;
  double sources = 0;
};
[[nodiscard]] double estimate(const shared_reading& what, int rank, std::uint64_t bytes,
                              const cost_terms& in);

/// Returns a lower bound of the time of every plan with forwarded blocks.
[[nodiscard]] double least_of_relaying(int rank, const cost_terms& in);

/// The least work of a scheme, from the graph and the nodes without a plan: consecutive rounds of
/// messages between and inside nodes, and the messages or reads of the busiest rank.
struct least_effort {
  double far_rounds = 0;
  double near_rounds = 0;
  double messages = 0;
  double far_messages = 0;  ///< those between nodes
};
/// Returns a lower bound of the time, if the busiest rank receives `volume` bytes. The same at all
/// ranks.
[[nodiscard]] double least_time(const least_effort& effort, double volume, const cost_terms& in);

/// Returns whether some ranks share nodes, and messages there cost less than others.
[[nodiscard]] bool is_near_cheaper(const cost_terms& in);

/// Returns the number of rounds up to the last one of this rank.
[[nodiscard]] std::size_t rounds_of(const relay_plan& plan) noexcept;

}  // namespace upwash::neighborhoods
