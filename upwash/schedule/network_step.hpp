// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The network operation of a step in the network.
#pragma once

#include "upwash/model/network_costs.hpp"
#include "upwash/schedule/step.hpp"

namespace upwash::schedule {

/// Returns the network operation of a step (`step::in_network`) with this kind and peer. A
/// reduction without a root is an all-reduce.
[[nodiscard]] constexpr model::network_collective network_collective_of(step_kind kind,
                                                                        int peer) noexcept {
  using model::network_collective;
  switch (kind) {
    case step_kind::net_barrier: return network_collective::barrier;
    case step_kind::net_multicast: return network_collective::broadcast;
    default: return peer == own ? network_collective::all_reduce : network_collective::reduce;
  }
}

}  // namespace upwash::schedule
