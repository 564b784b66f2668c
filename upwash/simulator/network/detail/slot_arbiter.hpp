// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Input-queued switches whose inputs and outputs are matched in slots of a packet's time, in
// rounds: each free output grants the oldest packet that asks for it, each free input accepts the
// oldest that was granted (McKeown 1995, iOCF). A multicast packet takes all outputs that are
// granted to it, and stays for the others (fan-out splitting), or goes to all at once or to none
// (Prabhakar 1997).
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator::detail {

/// Memory: 40 bytes a lane, 16 a queue; each input has a queue for multicasts beside its others.
class slot_arbiter {
 public:
  explicit slot_arbiter(packet_network& in);

  /// A packet has come to the head of a switch.
  void reach(std::uint32_t packet_id);
  /// A packet has left the buffer of an output.
  void output_left(std::uint32_t out_lane);
  /// A slot of a switch begins.
  void match(int of_switch);

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  /// Packets of an input. Its first one knows the lanes that it still has to go to.
  struct input_queue {
    packet_network::queue waiting;
    std::vector<std::uint32_t> goes_to;
  };
  /// What happens to a lane in the slot that is being matched.
  struct turn {
    std::uint32_t sends = none;    ///< as an input: the queue that was accepted
    std::uint32_t granted = none;  ///< as an output: the queue that has it
    bool taken = false;            ///< as an output
  };

  [[nodiscard]] input_queue& of(std::uint32_t in_lane, std::uint32_t index) {
    return queues_[std::size_t{in_lane} * each_ + index];
  }
  [[nodiscard]] std::int64_t born(const input_queue& q) const {
    return in_.packets_[q.waiting.head].born_ps;
  }
  [[nodiscard]] bool has_room(std::uint32_t out_lane) const;
  [[nodiscard]] bool asks(std::uint32_t queue, std::uint32_t out_lane) const;
  void come_first(std::uint32_t queue);
  void wake(int of_switch);
  void take_whole(const std::vector<std::uint32_t>& busy);
  void grant(const std::vector<std::uint32_t>& busy);
  void accept(const std::vector<std::uint32_t>& busy);
  void cross(std::uint32_t queue);

  packet_network& in_;
  std::uint32_t each_;  ///< queues of an input, the last one for multicasts
  bool virtual_outputs_;
  std::int64_t slot_ps_;
  std::vector<input_queue> queues_;
  std::vector<turn> turns_;                          ///< of each lane
  std::vector<std::vector<std::uint32_t>> arrives_;  ///< of each switch: the lanes that lead there
  std::vector<std::int64_t> next_ps_;  ///< of each switch: its next slot, or the last one
  std::vector<bool> pending_;          ///< of each switch: it has not begun yet
};

}  // namespace upwash::simulator::detail
