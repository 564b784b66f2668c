// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Computes the time of one collective that the switches carry out (Kumar 2005, section 8.1).
#pragma once

#include <cstdint>
#include <span>

#include "upwash/base/duration.hpp"
#include "upwash/model/topology_spanning_tree.hpp"
#include "upwash/simulator/network/carrier.hpp"
#include "upwash/simulator/network/parameters.hpp"

namespace upwash::simulator {

/// Returns the time from the call until the last member has its result, if all call at once.
/// Vectors longer than a packet are pipelined packet by packet. Throws `error` (argument) for an
/// empty group.
[[nodiscard]] duration time_in_network(network_collective what, std::uint64_t bytes,
                                       const model::fat_tree& on, std::span<const int> members,
                                       const network_parameters& with);

}  // namespace upwash::simulator
