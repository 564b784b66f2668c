// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction in the switches (Kumar 2005, section 8.1.2). Packets wait at a combine unit as at an
// output, and are taken in whole, one after the other; one packet continues. Several units of a
// switch form a tree: the leaves take the packets of their ports, the root the results of the
// leaves.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator::detail {

/// Memory: 8 bytes a unit, about 150 for each switch with a reduction in progress.
class combine_units {
 public:
  explicit combine_units(packet_network& in);

  /// A packet to be reduced has reached a switch.
  void reach(std::uint32_t packet_id);
  /// A leaf, or the only unit, has taken in a packet.
  void combined(std::uint32_t packet_id);
  /// The root has taken in a leaf's result, or the result has passed the crossbar again.
  void joined(std::uint32_t packet_id);

  [[nodiscard]] bool at_rest() const noexcept { return open_.empty(); }

 private:
  /// The position of a packet, in its `queue`; its switch is in its `out`.
  static constexpr std::uint32_t at_root = UINT32_MAX - 1;
  static constexpr std::uint32_t leaving = UINT32_MAX - 2;

  /// One reduction in one switch.
  struct reduction {
    std::vector<int> left_of_leaf;  ///< packets that each leaf still waits for
    int leaves_left = 0;
  };
  using reduction_key = std::tuple<std::int32_t, std::uint32_t, std::uint32_t>;

  [[nodiscard]] static reduction_key key(const packet_network::packet& p) noexcept {
    return {p.group, p.out, p.tag};
  }
  [[nodiscard]] const model::spanning_tree::row& row_of(const packet_network::packet& p) const;
  /// Returns the port by which the result leaves; -1: by all.
  [[nodiscard]] int result_port(const packet_network::packet& p) const;
  [[nodiscard]] std::uint32_t leaf_of(std::uint32_t of_switch, int port) const;
  [[nodiscard]] reduction& open(const packet_network::packet& p);
  [[nodiscard]] std::int64_t take_in(std::uint32_t of_switch, std::uint32_t unit,
                                     std::int64_t ready_ps, std::uint32_t bytes);
  void go_on(std::uint32_t packet_id);
  void leave(std::uint32_t packet_id);

  packet_network& in_;
  std::uint32_t units_;
  std::vector<std::int64_t> free_ps_;  ///< by unit: the root is the last of a switch
  std::map<reduction_key, reduction> open_;
};

}  // namespace upwash::simulator::detail
