// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/multicast_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/model/choice.hpp"

namespace upwash::simulator {
namespace {

class multicast_source final : public traffic_source {
 public:
  multicast_source(const model::fat_tree& on, const network_parameters& with,
                   const multicast_plan& what);

  /// Makes the groups known to the network.
  void build_trees(const model::fat_tree& on, packet_network& network);

  bool next(int node, std::int64_t now_ps, offered_packet& fresh) override;
  void arrived(const arrived_packet& what) override;

  arrival_record copies;
  arrival_record complete;
  std::int64_t from_ps = 0;
  std::int64_t to_ps = 0;
  std::int64_t entries = 0;

 private:
  struct group {
    std::vector<int> members;  ///< the sender first
    std::int32_t number = -1;
  };
  struct sender {
    random_stream random{0, 0};
    std::int64_t born_ps = 0;
    std::vector<group> groups;  ///< none: silent
    std::size_t current = 0;
    std::size_t left = 0;  ///< receivers of the current one that still need a packet
    std::uint32_t tag = 0;
  };
  struct multicast {
    int left = 0;
    std::int64_t last_ps = 0;
  };

  void choose_members(int node, sender& of);

  multicast_plan plan_;
  network_parameters with_;
  int nodes_;
  std::uint64_t mean_gap_ps_;
  std::vector<sender> senders_;
  std::vector<multicast> under_way_;
  std::vector<std::uint32_t> free_tags_;
};

multicast_source::multicast_source(const model::fat_tree& on, const network_parameters& with,
                                   const multicast_plan& what)
    : plan_(what), with_(with), nodes_(on.nodes()), senders_(static_cast<std::size_t>(on.nodes())) {
  const int receivers = nodes_ - what.first_receiver;
  const int count = what.senders == 0 ? nodes_ : what.senders;
  if (what.fanout < 1 || what.groups < 1 || !(what.load > 0) || count < 1 || count > nodes_ ||
      what.first_receiver < 0 || 2 * what.fanout - 1 > receivers - 1 + (what.first_receiver > 0)) {
    throw error(error_kind::argument,
                fmt::format("multicasts: {} senders, fan-out {}, {} groups, load {} do not fit {} "
                            "nodes that receive; 2 * fan-out - 1 of them must be there",
                            count, what.fanout, what.groups, what.load, receivers));
  }
  mean_gap_ps_ = static_cast<std::uint64_t>(
      std::llround(static_cast<double>(with.packet_time().ps()) / what.load));
  from_ps = (with.packet_time() * what.warm_up_packets).ps();
  to_ps = from_ps + (with.packet_time() * what.packets).ps();
  for (int i = 0; i < count; ++i) {
    const int node = what.spread ? static_cast<int>(std::int64_t{i} * nodes_ / count) : i;
    choose_members(node, senders_[static_cast<std::size_t>(node)]);
  }
}

void multicast_source::choose_members(int node, sender& of) {
  of.random = random_stream(plan_.seed, static_cast<std::uint64_t>(node) + 1);
  std::vector<int> others;
  for (int other = plan_.first_receiver; other < nodes_; ++other) {
    if (other != node) others.push_back(other);
  }
  for (int i = 0; i < plan_.groups; ++i) {
    const std::uint64_t most = 2 * static_cast<std::uint64_t>(plan_.fanout) - 1;
    const std::size_t size = 1 + of.random.below(most);
    for (std::size_t k = 0; k < size; ++k) {
      std::swap(others[k], others[k + of.random.below(others.size() - k)]);
    }
    group fresh;
    fresh.members = {node};
    fresh.members.insert(fresh.members.end(), others.begin(),
                         others.begin() + static_cast<std::ptrdiff_t>(size));
    of.groups.push_back(std::move(fresh));
  }
}

void multicast_source::build_trees(const model::fat_tree& on, packet_network& network) {
  if (!plan_.in_switches) return;
  model::spanning_tree_builder builder(on, plan_.parents);
  for (sender& of : senders_) {
    for (group& each : of.groups) each.number = network.add_group(builder.build(each.members));
  }
  entries = builder.entries();
}

bool multicast_source::next(int node, std::int64_t /*now_ps*/, offered_packet& fresh) {
  sender& of = senders_[static_cast<std::size_t>(node)];
  if (of.groups.empty()) return false;
  if (of.left == 0) {  // the next multicast
    __extension__ using wide = unsigned __int128;
    of.born_ps += static_cast<std::int64_t>((wide{mean_gap_ps_} * exponential(of.random)) >> 32U);
    of.current = of.random.below(of.groups.size());
    of.left = of.groups[of.current].members.size() - 1;
    if (free_tags_.empty()) {
      free_tags_.push_back(static_cast<std::uint32_t>(under_way_.size()));
      under_way_.emplace_back();
    }
    of.tag = free_tags_.back();
    free_tags_.pop_back();
    under_way_[of.tag] = {static_cast<int>(of.left), 0};
  }
  const group& to = of.groups[of.current];
  fresh.bytes = with_.packet_bytes;
  fresh.born_ps = of.born_ps;
  fresh.ready_ps = of.born_ps + with_.send_overhead.ps();
  fresh.tag = of.tag;
  fresh.group = to.number;
  fresh.kind = plan_.in_switches ? packet_kind::multicast : packet_kind::single;
  fresh.goal.to = to.members[of.left];
  of.left = plan_.in_switches ? 0 : of.left - 1;
  return true;
}

void multicast_source::arrived(const arrived_packet& what) {
  multicast& of = under_way_[what.tag];
  of.last_ps = std::max(of.last_ps, what.at_ps);
  if (what.at_ps >= from_ps && what.at_ps < to_ps)
    copies.add(what.at_ps - what.born_ps, what.bytes);
  if (--of.left > 0) return;
  free_tags_.push_back(what.tag);
  if (of.last_ps >= from_ps && of.last_ps < to_ps) {
    complete.add(of.last_ps - what.born_ps, what.bytes);
  }
}

constexpr std::array<model::parameter, 4> multicast_parameters{
    {{"fanout", 1, 1U << 20U, 4, "mean; 1 .. 2 fanout - 1 are equally likely"},
     {"senders", 0, 1U << 26U, 0, "the first nodes alone receive nothing; 0: all send and receive"},
     {"groups", 1, 1U << 16U, 64, "of random nodes, of each sender"},
     {"software", 0, 1, 0, "1: a packet for each receiver instead of copies in the switches"}}};
constexpr model::choice multicast_choice{"multicast", multicast_parameters, 0, {}, {}};

}  // namespace

multicast_plan parse_multicast(std::string_view text) {
  const model::values with =
      model::parse_values(multicast_choice, model::split_choice(text).second);
  multicast_plan result;
  result.fanout = static_cast<int>(with[0]);
  result.senders = static_cast<int>(with[1]);
  result.first_receiver = result.senders;
  result.groups = static_cast<int>(with[2]);
  result.in_switches = with[3] == 0;
  return result;
}

multicast_result run(const model::fat_tree& on, const network_parameters& with,
                     const multicast_plan& what) {
  multicast_source source(on, with, what);
  packet_network network(on, with, source, what.seed);
  source.build_trees(on, network);
  network.run(duration::from_ps(source.to_ps));
  multicast_result result;
  result.load = what.load;
  const int senders = what.senders == 0 ? on.nodes() : what.senders;
  result.accepted = static_cast<double>(source.complete.packets()) / what.packets / senders;
  result.latency_avg_ns = source.copies.mean_ns();
  result.complete_avg_ns = source.complete.mean_ns();
  result.complete_p99_ns = source.complete.quantile_ns(0.99);
  result.multicasts = source.complete.packets();
  result.packet_hops = network.packet_hops();
  result.table_entries = source.entries;
  return result;
}

double multicast_saturation(const model::fat_tree& on, const network_parameters& with,
                            multicast_plan what, double step) {
  for (what.load = step;; what.load += step) {
    const multicast_result seen = run(on, with, what);
    if (seen.accepted < 0.98 * what.load || what.load > 1.5) return what.load - step;
  }
}

}  // namespace upwash::simulator
