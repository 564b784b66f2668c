// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages on a packet network. A message is cut into packets, which its node's NIC sends in
// sequence, after those of earlier messages. It has arrived when its last byte has.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "upwash/model/topology_spanning_tree.hpp"
#include "upwash/simulator/network/carrier.hpp"
#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator {

/// With n ranks a node, ranks r * n to r * n + n - 1 are on node r. Memory: 16 bytes for each
/// message in flight, 24 for one that waits at its NIC.
class packet_carrier final : public carrier, private traffic_source {
 public:
  /// `on` outlives the carrier. Throws `error` (argument) if the ranks do not fit the nodes.
  packet_carrier(const model::topology& on, const network_parameters& with, int ranks,
                 int ranks_per_node, std::uint64_t seed);

  /// True between nodes; ranks of one node communicate without the network.
  [[nodiscard]] bool carries(int from, int to) const override {
    return from / ranks_per_node_ != to / ranks_per_node_;
  }
  void send(duration now, int from, int to, std::uint64_t bytes, std::uint64_t id) override;
  /// True for fat trees of output-queued switches with one rank a node.
  [[nodiscard]] bool has_collectives() const noexcept override;
  int add_group(std::span<const int> ranks) override;
  void join(duration now, int rank, const part& in, std::uint64_t id) override;
  [[nodiscard]] duration next_time() override;
  bool run(duration until, function_ref<void(std::uint64_t, duration)> arrived) override;

  [[nodiscard]] const packet_network& network() const noexcept { return network_; }

 private:
  struct queued {
    int to;
    std::uint32_t slot;
    std::uint64_t left;  ///< bytes not yet in a packet
    std::int64_t ready_ps;
    packet_kind kind = packet_kind::single;
    std::int32_t group = -1;
  };
  struct sender {
    std::deque<queued> messages;
    std::uint32_t ended_bytes = 0;  ///< bytes of a message's last packet, once sent
    std::int64_t free_ps = 0;       ///< time from which the next message may begin
  };
  struct message {
    std::uint64_t id = 0;
    std::uint64_t left = 0;  ///< bytes not arrived
  };
  struct arrival {
    std::uint64_t id;
    std::int64_t at_ps;
  };

  /// Ranks with separate collectives.
  struct group {
    std::int32_t in_network = -1;
    std::vector<int> place_of;  ///< by rank: its place among the members, or -1
    int members = 0;
  };
  using operation_key =
      std::tuple<int, network_collective, std::uint32_t>;  ///< group, collective, number
  /// A collective in progress. Its packets have consecutive tags, from its tag in `operations_` on.
  struct operation {
    operation_key key;
    std::vector<std::uint64_t> left;  ///< by member: bytes of the result not arrived
    std::vector<std::uint64_t> ids;   ///< by waiting member; `nobody`: has not joined
    int untold = 0;                   ///< members with incomplete parts
  };
  using operation_map = std::map<std::uint32_t, operation>;  ///< by first tag
  static constexpr std::uint64_t nobody = UINT64_MAX;
  static constexpr std::uint32_t collective_tags = 1U << 31U;

  [[nodiscard]] group make_group(std::span<const int> ranks);
  /// Returns a group. Group 0 is made at its first use.
  [[nodiscard]] const group& group_numbered(int number);
  [[nodiscard]] operation_map::iterator begin(const part& in, std::uint64_t bytes);
  [[nodiscard]] std::uint32_t take_tags(std::uint64_t packets);
  void arrived_result(const arrived_packet& what);
  void end_part(operation_map::iterator of, std::uint64_t id, std::int64_t at_ps);
  void tell(std::uint64_t id, std::int64_t at_ps);

  bool next(int node, std::int64_t now_ps, offered_packet& fresh) override;
  void arrived(const arrived_packet& what) override;
  [[nodiscard]] bool follows_time() const override { return true; }

  network_parameters with_;
  int ranks_per_node_;
  bool through_others_;
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  std::vector<sender> of_node_;
  std::vector<message> under_way_;
  std::vector<std::uint32_t> free_;
  std::vector<arrival> arrivals_;
  const model::topology& on_;
  int ranks_;
  std::optional<model::spanning_tree_builder> trees_;  ///< it balances all groups
  std::vector<group> groups_ = std::vector<group>(1);
  std::map<operation_key, std::uint32_t> numbered_;
  operation_map operations_;
  std::uint32_t next_tag_ = collective_tags;
  packet_network network_;
};

}  // namespace upwash::simulator
