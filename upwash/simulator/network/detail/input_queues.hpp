// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Input-queued switches: one queue an input, whose first packet waits for the crossbar to its
// output; the crossbar is `speedup` times as fast as the links and has a small buffer behind it.
// Each lane of a link is an input and an output of the crossbar of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator::detail {

/// Memory: 40 bytes a lane.
class input_queues {
 public:
  explicit input_queues(packet_network& in);

  /// A packet has come to the head of a switch.
  void reach(std::uint32_t packet_id);
  /// A packet has left the buffer of an output.
  void output_left(std::uint32_t out_lane);
  /// An input or output of the crossbar is free: lane * 2, + 1 for outputs.
  void turn(std::uint32_t which);

 private:
  struct input {
    packet_network::queue waiting;
    std::int64_t free_ps = 0;
    bool asks = false;  ///< its first packet waits for an output
  };
  struct output {
    packet_network::queue asking;  ///< inputs that wait, by their first packets
    std::int64_t free_ps = 0;
  };

  void ask(std::uint32_t in_lane);
  void transfer(std::uint32_t out_lane);
  void schedule(std::int64_t at_ps, std::uint32_t lane, bool is_output);

  packet_network& in_;
  std::vector<input> inputs_;
  std::vector<output> outputs_;
};

}  // namespace upwash::simulator::detail
