// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Input-queued switches with matching in slots of a packet's time, in rounds. Each free output
// grants the oldest requesting packet; each free input accepts the oldest grant (McKeown 1995,
// iOCF). A multicast packet takes all granted outputs and stays for the others (fan-out splitting),
// or goes to all at once or to none (Prabhakar 1997).
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator::detail {

/// Memory: 40 bytes a lane, 16 a queue. Each input has an additional queue for multicasts.
class slot_arbiter {
 public:
  explicit slot_arbiter(packet_network& in);

  /// A packet has reached the head of a switch.
  void reach(std::uint32_t packet_id);
  /// A packet has left the buffer of an output.
  void output_left(std::uint32_t out_lane);
  /// A slot of a switch begins.
  void match(int of_switch);

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  /// Packets of an input. The first one knows its remaining lanes.
  struct input_queue {
    packet_network::queue waiting;
    std::vector<std::uint32_t> goes_to;
  };
  /// The state of a lane in the current slot.
  struct turn {
    std::uint32_t sends = none;    ///< as an input: the accepted queue
    std::uint32_t granted = none;  ///< as an output: the granted queue
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
  std::vector<turn> turns_;                          ///< by lane
  std::vector<std::vector<std::uint32_t>> arrives_;  ///< by switch: the lanes that lead there
  std::vector<std::int64_t> next_ps_;                ///< by switch: its next slot, or the last one
  std::vector<bool> pending_;                        ///< by switch: the next slot has not begun
};

}  // namespace upwash::simulator::detail
