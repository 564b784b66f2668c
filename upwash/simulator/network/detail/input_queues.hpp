// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Input-queued switches: each input has one queue, some, or one for each output (virtual output
// queues). The first packet of each queue requests its output. Inputs and outputs are matched as
// they become free. The crossbar is `speedup` times as fast as the links, and is followed by a
// buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator::detail {

/// Each lane of a link is a separate input and output of the crossbar. Memory: 40 bytes a lane, 20
/// a queue.
class input_queues {
 public:
  explicit input_queues(packet_network& in);

  /// A packet has reached the head of a switch.
  void reach(std::uint32_t packet_id);
  /// A packet has left the buffer of an output.
  void output_left(std::uint32_t out_lane);
  /// An input or output of the crossbar is free: lane * 2, + 1 for outputs.
  void turn(std::uint32_t which);

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct input_queue {
    packet_network::queue waiting;
    std::uint32_t asks = none;  ///< the lane for which its first packet waits
  };
  struct input {
    std::int64_t free_ps = 0;
    std::uint32_t turn = 0;  ///< the queue that is checked first
  };
  struct output {
    packet_network::queue asking;  ///< first packets of queues
    std::int64_t free_ps = 0;
  };

  [[nodiscard]] input_queue& queue(std::uint32_t in_lane, std::uint32_t index) {
    return queues_[std::size_t{in_lane} * each_ + index];
  }
  void ask(std::uint32_t in_lane, std::uint32_t index);
  void transfer(std::uint32_t out_lane);
  [[nodiscard]] std::uint32_t take_from_free_input(packet_network::queue& asking);
  void schedule(std::int64_t at_ps, std::uint32_t lane, bool is_output);

  packet_network& in_;
  std::uint32_t each_;  ///< queues of an input
  bool virtual_outputs_;
  std::vector<input> inputs_;
  std::vector<input_queue> queues_;
  std::vector<output> outputs_;
};

}  // namespace upwash::simulator::detail
