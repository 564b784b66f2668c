// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sends one message from each node to a partner, all at once, to compare the times of permutations
// on a network (Kumar 2005, sections 4.1 and 4.4).
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/simulator/network/parameters.hpp"

namespace upwash::simulator {

struct exchange_result {
  duration last;  ///< until the last message has arrived
  duration mean;  ///< of all messages

  /// Returns MB/s of a node, in and out together: the effective bandwidth of section 4.1.
  [[nodiscard]] double both_ways_mb_s(std::uint64_t bytes) const noexcept {
    return 2 * static_cast<double>(bytes) / last.us();
  }
};

/// Runs the exchange. All messages are handed over at time 0. A node that is its own partner sends
/// nothing.
[[nodiscard]] exchange_result exchange(const model::topology& on, const network_parameters& with,
                                       std::uint64_t bytes, function_ref<int(int node)> partner,
                                       std::uint64_t seed = 1);

}  // namespace upwash::simulator
