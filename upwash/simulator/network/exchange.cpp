// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/exchange.hpp"

#include <algorithm>

#include "upwash/simulator/network/packet_carrier.hpp"

namespace upwash::simulator {

exchange_result exchange(const model::topology& on, const network_parameters& with,
                         std::uint64_t bytes, function_ref<int(int)> partner, std::uint64_t seed) {
  packet_carrier messages(on, with, on.nodes(), 1, seed);
  std::int64_t count = 0;
  for (int node = 0; node < on.nodes(); ++node) {
    const int to = partner(node);
    if (to == node) continue;
    messages.send({}, node, to, bytes, static_cast<std::uint64_t>(node));
    ++count;
  }
  exchange_result result;
  std::int64_t total_ps = 0;
  const auto arrived = [&](std::uint64_t /*id*/, duration at) {
    result.last = std::max(result.last, at);
    total_ps += at.ps();
  };
  while (messages.run(duration::max(), arrived)) {
  }
  result.mean = duration::from_ps(total_ps / std::max<std::int64_t>(count, 1));
  return result;
}

}  // namespace upwash::simulator
