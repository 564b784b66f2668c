// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a step in the network asks of the network.
#pragma once

#include "upwash/model/network_costs.hpp"
#include "upwash/schedule/step.hpp"

namespace upwash::schedule {

/// Of a step of this kind (`step::in_network`) and peer: a reduction without a root is all's.
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
