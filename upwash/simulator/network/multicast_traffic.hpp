// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Poisson multicasts to groups of random nodes, by the switches or as a packet for each member
// (Kumar 2005, sections 8.3.1 and 8.4).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/model/topology_spanning_tree.hpp"
#include "upwash/simulator/network/packet_network.hpp"
#include "upwash/simulator/network/traffic.hpp"

namespace upwash::simulator {

struct multicast_plan {
  int senders = 0;          ///< the first nodes, or evenly spread ones; 0: all
  bool spread = false;      ///< senders at maximum distance
  int first_receiver = 0;   ///< receivers are the nodes from here on
  int fanout = 4;           ///< mean: 1 to 2 fanout - 1 are equally likely
  int groups = 8;           ///< of each sender; a packet goes to one of them
  double load = 0.1;        ///< multicasts of a sender, relative to its link's rate
  bool in_switches = true;  ///< false: a packet for each receiver
  model::parent_choice parents = model::parent_choice::least_loaded;
  int warm_up_packets = 300;
  int packets = 1000;  ///< packet times of the window
  std::uint64_t seed = 1;
};

struct multicast_result {
  double load = 0;
  double accepted = 0;         ///< completed multicasts, relative to the senders' link rate
  double latency_avg_ns = 0;   ///< of all copies
  double complete_avg_ns = 0;  ///< until the last receiver has it
  double complete_p99_ns = 0;
  std::uint64_t multicasts = 0;  ///< completed in the window
  std::uint64_t packet_hops = 0;
  std::int64_t table_entries = 0;  ///< of the groups, in all switches
};

/// Reads multicast:fanout=4,senders=0,groups=64,software=0. The first `senders` nodes send and the
/// others receive; 0: all do both. software=1: a packet for each receiver. Throws `error`
/// (argument) for invalid text.
[[nodiscard]] multicast_plan parse_multicast(std::string_view text);

/// Runs the plan on a fat tree or a crossbar. Throws `error`: argument for a plan that does not fit
/// the nodes, fault for a network without progress.
[[nodiscard]] multicast_result run(const model::fat_tree& on, const network_parameters& with,
                                   const multicast_plan& what);

/// Returns the largest load, in multiples of `step`, that the network still carries: 98 % of it
/// completes in the window.
[[nodiscard]] double multicast_saturation(const model::fat_tree& on, const network_parameters& with,
                                          multicast_plan what, double step);

}  // namespace upwash::simulator
