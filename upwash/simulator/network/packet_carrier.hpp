// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages on a packet network: each is cut into packets that its node's NIC sends one after the
// other, behind those of earlier messages; it has arrived when its last byte has.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "upwash/simulator/network/carrier.hpp"
#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator {

/// Ranks r * n .. r * n + n - 1 are on node r, for n ranks a node. Memory: 16 bytes a message
/// under way, 24 one that waits at its NIC.
class packet_carrier final : public carrier, private traffic_source {
 public:
  /// `on` outlives it. Throws `error` (argument) when the ranks do not fit the nodes.
  packet_carrier(const model::topology& on, const network_parameters& with, int ranks,
                 int ranks_per_node, std::uint64_t seed);

  /// Between nodes; ranks of one node reach each other without the network.
  [[nodiscard]] bool carries(int from, int to) const override {
    return from / ranks_per_node_ != to / ranks_per_node_;
  }
  void send(duration now, int from, int to, std::uint64_t bytes, std::uint64_t id) override;
  /// Of networks that are fat trees of output-queued switches, with one rank a node.
  void join(duration now, int rank, network_collective what, int root, std::uint64_t bytes,
            std::uint32_t number, std::uint64_t id) override;
  bool run(duration until, function_ref<void(std::uint64_t, duration)> arrived) override;

  [[nodiscard]] const packet_network& network() const noexcept { return network_; }

 private:
  /// A message without data is a packet of so many bytes.
  static constexpr std::uint64_t least_bytes = 16;
  struct queued {
    int to;
    std::uint32_t slot;
    std::uint64_t left;  ///< bytes that no packet has taken
    std::int64_t ready_ps;
    bool begun = false;
    packet_kind kind = packet_kind::single;
  };
  struct message {
    std::uint64_t id = 0;
    std::uint64_t left = 0;  ///< bytes that have not arrived
  };
  struct arrival {
    std::uint64_t id;
    std::int64_t at_ps;
  };

  /// A collective in the network; its packets have the tags from `first_tag` on.
  struct operation {
    std::uint32_t first_tag = 0;
    std::vector<std::uint64_t> left;  ///< of each rank: bytes of the result that have not come
    std::vector<std::uint64_t> ids;   ///< of each rank that waits; `nobody`: has not joined
  };
  static constexpr std::uint64_t nobody = UINT64_MAX;
  static constexpr std::uint32_t collective_tags = 1U << 31U;

  [[nodiscard]] operation& begin(network_collective what, std::uint64_t bytes,
                                 std::uint32_t number);
  void build_group();
  void arrived_result(const arrived_packet& what);
  void tell(std::uint64_t id, std::int64_t at_ps);

  bool next(int node, std::int64_t now_ps, offered_packet& fresh) override;
  void arrived(const arrived_packet& what) override;
  [[nodiscard]] bool follows_time() const override { return true; }

  network_parameters with_;
  int ranks_per_node_;
  bool through_others_;
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  std::vector<std::deque<queued>> of_node_;
  std::vector<message> under_way_;
  std::vector<std::uint32_t> free_;
  std::vector<arrival> arrivals_;
  const model::topology& on_;
  int ranks_;
  std::int32_t group_ = -1;
  std::map<std::pair<network_collective, std::uint32_t>, std::size_t> numbered_;
  std::deque<operation> operations_;
  std::vector<std::size_t> of_tag_;  ///< operation of each tag from `collective_tags` on
  packet_network network_;
};

}  // namespace upwash::simulator
