// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What messages and memory operations of a simulated world share: ranks and their clocks, the
// network, and the way of anything that flies from one rank to another.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/rank_layout.hpp"
#include "upwash/conduit/sim/detail/packet_side.hpp"
#include "upwash/conduit/sim/detail/peer_table.hpp"
#include "upwash/conduit/sim/detail/scheduler.hpp"
#include "upwash/conduit/sim/detail/write_conflicts.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/simulator/network.hpp"
#include "upwash/simulator/network/trace.hpp"

namespace upwash::conduit::sim {

class simulation;

/// Something on its way. Its owner keeps it alive until `landed`, which runs as an event at
/// the time its first byte arrives and is told when the last one will have; through a network of
/// packets both are the last byte's.
struct flight : parcel {
  simulation* in = nullptr;
  void (*landed)(flight& self, duration complete) = nullptr;
  peer_state* order = nullptr;  ///< E1 is kept among the flights of one; null: unordered
  int source = 0;
  int destination = 0;
  std::uint32_t level = 0;
  std::uint32_t place = 0;  ///< among those of its `order`
  std::uint64_t bytes = 0;
  bool inside = false;       ///< it stays in its process: no port, no network
  duration complete;         ///< when the last byte has come
  flight* parked = nullptr;  ///< the next one of its `order` that came too early
  model::message_cost cost;
  write_conflicts::origin from;  ///< in runs that look for conflicts
};

/// The stages told to one rank, in the order of time.
struct told {
  duration when;
  completion* whom;
};

class simulation {
 public:
  explicit simulation(sim_options options);

  process_shelf facts;
  scheduler ranks;
  simulator::message_network network;
  std::unique_ptr<packet_side> packets;             ///< null: all at message level
  std::unique_ptr<write_conflicts> conflicts;       ///< null: nobody looks for them
  std::unique_ptr<simulator::trace_writer> record;  ///< of what crosses between nodes; may be null

  [[nodiscard]] const sim_options& options() const noexcept { return options_; }
  /// Each process has an endpoint.
  [[nodiscard]] const rank_layout& layout() const noexcept { return layout_; }

  /// The rank whose processor does what is asked of `rank`: inside a handler the polling one of
  /// the same endpoint, else itself.
  [[nodiscard]] int acting(int rank) const noexcept {
    const int poller = pollers_[static_cast<std::size_t>(layout_.process_of(rank))];
    return poller >= 0 ? poller : rank;
  }
  [[nodiscard]] bool in_handler(int rank) const noexcept {
    return pollers_[static_cast<std::size_t>(layout_.process_of(rank))] >= 0;
  }
  void set_poller(int rank, bool on) noexcept {
    pollers_[static_cast<std::size_t>(layout_.process_of(rank))] = on ? rank : -1;
  }
  [[nodiscard]] duration clock(int rank) const noexcept { return ranks.clock(acting(rank)); }

  /// Fills in level and cost for `bytes` from source to destination.
  void prepare(flight& what, std::uint64_t bytes);
  /// Charges o_send to the source and sends it off at its clock; a communication thread bears it
  /// where the machine has them.
  void launch(flight& what);
  /// Sends it off now, by the NIC: from an event.
  void launch_now(flight& what) { take_off(what, ranks.events().now()); }
  /// Flight time of an acknowledgement: the latency of nothing.
  [[nodiscard]] duration acknowledgement(const flight& what) {
    return what.inside ? duration{} : network.cost(what.level, 0).latency;
  }

  /// Of the processor, for its part in a collective in the network: as for a message far away.
  [[nodiscard]] const model::message_cost& network_overheads() {
    return network.cost(network.on().levels.size() - 1, 0);
  }

  /// Perturbed runs refuse one injection in 16; the rank may try again a little later.
  [[nodiscard]] bool refuse_by_chance(int source);
  /// At random from 1 up to `most`; without perturbation 1.
  [[nodiscard]] std::int64_t draw(int rank, std::uint32_t most);
  [[nodiscard]] duration retry_at(int rank) const noexcept {
    return chances_[static_cast<std::size_t>(rank)].retry_at;
  }
  void clear_retry(int rank) noexcept {
    chances_[static_cast<std::size_t>(rank)].retry_at = duration::max();
  }

 private:
  void share_cores();
  struct chance {
    random_stream numbers;
    duration retry_at = duration::max();
  };

  void launch_by_thread(flight& what, duration ready);
  void depart_at(flight& what, duration ready);
  void take_off(flight& what, duration ready);
  void note(const flight& what, duration when);
  void came_by_packets(flight& what, duration at);
  static void land_in_order(flight& what, duration complete);
  [[nodiscard]] duration random_delay(const flight& what);

  sim_options options_;
  rank_layout layout_;
  std::vector<int> pollers_;  ///< by endpoint: the rank whose poll runs a handler, or -1
  std::vector<chance> chances_;
};

}  // namespace upwash::conduit::sim
