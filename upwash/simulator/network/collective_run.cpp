// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/collective_run.hpp"

#include <algorithm>
#include <vector>

#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator {
namespace {

constexpr std::uint32_t barrier_bytes = 16;

/// Every sender has the packets of one vector, all ready when the NIC has taken the call.
class one_collective final : public traffic_source {
 public:
  one_collective(network_collective what, std::uint64_t bytes, int nodes,
                 std::span<const int> members, const network_parameters& with)
      : what_(what), with_(with), root_(members.front()) {
    left_bytes_.assign(static_cast<std::size_t>(nodes), 0);
    bytes_ =
        what == network_collective::barrier ? barrier_bytes : std::max<std::uint64_t>(bytes, 1);
    for (const int each : members) {
      const bool is_root = each == root_;
      const bool sends = what == network_collective::broadcast ? is_root
                         : what == network_collective::reduce  ? !is_root
                                                               : true;
      if (sends) left_bytes_[static_cast<std::size_t>(each)] = bytes_;
    }
  }

  bool next(int node, std::int64_t /*now_ps*/, offered_packet& fresh) override {
    std::uint64_t& left = left_bytes_[static_cast<std::size_t>(node)];
    if (left == 0) return false;
    fresh = {};
    fresh.goal.to = root_;
    fresh.group = 0;
    fresh.kind = what_ == network_collective::broadcast ? packet_kind::multicast
                 : what_ == network_collective::reduce  ? packet_kind::reduce
                                                        : packet_kind::all_reduce;
    fresh.tag = static_cast<std::uint32_t>((bytes_ - left) / with_.packet_bytes);
    fresh.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, with_.packet_bytes));
    fresh.ready_ps = with_.send_overhead.ps();
    left -= fresh.bytes;
    return true;
  }

  void arrived(const arrived_packet& what) override { last_ps = std::max(last_ps, what.at_ps); }

  std::int64_t last_ps = 0;

 private:
  network_collective what_;
  network_parameters with_;
  int root_;
  std::uint64_t bytes_ = 0;
  std::vector<std::uint64_t> left_bytes_;
};

}  // namespace

duration time_in_network(network_collective what, std::uint64_t bytes, const model::fat_tree& on,
                         std::span<const int> members, const network_parameters& with) {
  model::spanning_tree tree =
      model::spanning_tree_builder(on, model::parent_choice::least_loaded).build(members);
  if (members.size() == 1) return {};
  one_collective source(what, bytes, on.nodes(), members, with);
  packet_network network(on, with, source, 0);
  (void)network.add_group(std::move(tree));
  network.drain();
  network.check_at_rest();
  return duration::from_ps(source.last_ps);
}

}  // namespace upwash::simulator
