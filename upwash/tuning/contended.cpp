// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/contended.hpp"

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/simulator/network/packet_carrier.hpp"
#include "upwash/simulator/replay.hpp"

namespace upwash::tuning {

contended_predictor::contended_predictor(const machine& on,
                                         std::shared_ptr<const model::topology> network)
    : on_(on), network_(std::move(network)) {}

std::optional<duration> contended_predictor::predict(const collective::selection& one,
                                                     const collective::problem& call) const {
  const auto ranks = static_cast<std::uint64_t>(call.ranks);
  try {
    const simulator::network_parameters with = simulator::parameters_of(on_, *network_);
    // As if everybody sent to everybody, which is the most that a collective does.
    const std::uint64_t packets = call.bytes / with.packet_bytes + 1;
    if (packets > most_packets / (ranks * ranks)) return std::nullopt;
    simulator::packet_carrier carrier(*network_, with, call.ranks, call.ranks_per_node, 0);
    simulator::replay_options options;
    options.free_where_absent = true;
    options.through = &carrier;
    duration last;
    const auto steps = [&](int rank) { return one.priced_schedule_of(call, rank); };
    for (const auto& each :
         simulator::replay(call.ranks, steps, on_, collective::rules_of(one, call), options)) {
      last = std::max(last, each.completion);
    }
    return last;
  } catch (const error&) {
    return std::nullopt;
  }
}

}  // namespace upwash::tuning
