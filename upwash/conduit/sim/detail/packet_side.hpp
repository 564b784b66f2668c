// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The network of packets beside the ranks' events: what crosses it between nodes, and the
// collectives of its switches.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/network_collective.hpp"
#include "upwash/conduit/sim/detail/scheduler.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/simulator/network/packet_carrier.hpp"

namespace upwash::conduit::sim {

/// What the network tells its sender of: at the time `came` is told, or later.
struct parcel {
  void (*came)(parcel& self, duration at) = nullptr;
};

/// Runs up to each event of the engine before it happens, so both have one time.
class packet_side final : public companion {
 public:
  /// With options.through. Throws `error`: the machine lacks costs, or ranks do not fit the nodes.
  explicit packet_side(const sim_options& options);

  /// Between nodes; the rest stays at message level.
  [[nodiscard]] bool carries(int from, int to) const { return carrier_.carries(from, to); }
  [[nodiscard]] bool has_collectives() const noexcept { return carrier_.has_collectives(); }

  /// From an event at `now`. The parcel stays alive until it came.
  void send(duration now, int from, int to, std::uint64_t bytes, parcel& what) {
    carrier_.send(now, from, to, bytes, reinterpret_cast<std::uint64_t>(&what));
  }
  int add_group(std::span<const int> ranks) { return carrier_.add_group(ranks); }
  void join(duration now, int rank, const simulator::carrier::part& in, parcel& what) {
    carrier_.join(now, rank, in, reinterpret_cast<std::uint64_t>(&what));
  }

  [[nodiscard]] duration next_time() override { return carrier_.next_time(); }
  bool run(duration until) override;

  [[nodiscard]] const simulator::packet_network& network() const noexcept {
    return carrier_.network();
  }

 private:
  std::shared_ptr<const model::topology> on_;
  simulator::packet_carrier carrier_;
};

}  // namespace upwash::conduit::sim
