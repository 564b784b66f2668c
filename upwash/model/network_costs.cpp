// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/network_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upwash/base/error.hpp"
#include "upwash/model/cost.hpp"

namespace upwash::model {
namespace {

/// Switches on a way between two nodes, in the mean over some hundred pairs.
double mean_switches(const topology& in) {
  const int samples = std::min(32, in.nodes());
  std::uint64_t switches = 0;
  std::uint64_t pairs = 0;
  for (int i = 0; i < samples; ++i) {
    const std::int64_t from = std::int64_t{i} * in.nodes() / samples;
    for (int j = 0; j < samples && in.nodes() > 1; ++j) {
      const std::int64_t further = 1 + std::int64_t{j} * (in.nodes() - 1) / samples;
      const bound goal{static_cast<int>((from + further) % in.nodes()), -1};
      switches += preferred_way(in, static_cast<int>(from), goal).size();
      ++pairs;
    }
  }
  return pairs == 0 ? 0 : static_cast<double>(switches) / static_cast<double>(pairs);
}

/// Of messages so long that nothing else counts.
double long_message_ns_per_byte(const machine_level& level) {
  if (!level.alpha_beta) return level.loggp->gap_ns_per_byte;
  constexpr std::uint64_t bytes = std::uint64_t{1} << 30U;
  return (alpha_beta_time(*level.alpha_beta, 2 * bytes) - alpha_beta_time(*level.alpha_beta, bytes))
             .ns() /
         static_cast<double>(bytes);
}

/// Splits the latency of messages over the NICs and the mean way.
void split_latency(network_costs& with, duration latency, const topology& in) {
  const double switches = mean_switches(in);
  const double way_ns =
      switches * with.switch_delay.ns() + (switches + 1) * with.channel_delay.ns();
  const double left_ns = latency.ns() - way_ns;
  with.send_overhead = with.receive_overhead = duration::from_ns(std::max(0.0, left_ns / 2));
  if (left_ns >= 0) return;
  with.switch_delay = duration::from_ns(with.switch_delay.ns() * latency.ns() / way_ns);
  with.channel_delay = duration::from_ns(with.channel_delay.ns() * latency.ns() / way_ns);
}

/// Packets of one length on their way up and down the tree of nodes 0 .. members - 1.
class pass {
 public:
  pass(const fat_tree& on, int members, std::uint32_t bytes, const network_costs& with)
      : on_(on),
        members_(members),
        with_(with),
        hop_(with.channel_delay + with.switch_delay),
        whole_(duration::from_ps(with.ps_per_byte * bytes)),
        combine_(with.combine_time(bytes)) {
    while (below(levels_) < members) ++levels_;
  }

  /// One packet alone; the root of a reduction is node 0.
  [[nodiscard]] duration alone(network_collective what) const {
    const duration end = whole_ + with_.channel_delay + with_.receive_overhead;
    if (what == network_collective::broadcast) {
      return with_.send_overhead + hop_ * (2 * levels_ - 1) + end;
    }
    if (what != network_collective::reduce) {
      return leaves(levels_ - 1, members_, 0) + hop_ * (levels_ - 1) + end;
    }
    return leaves(levels_ - 1, members_, 1) + after(levels_ - 1) + end;
  }

  /// How far apart many packets come to their end: what the slowest unit, or a link, takes.
  [[nodiscard]] duration apart(network_collective what) const {
    duration slowest =
        duration::from_ps(std::max(with_.ps_per_byte, with_.nic_ps_per_byte) * with_.packet_bytes);
    if (what == network_collective::broadcast) return slowest;
    for (int level = 0; level < levels_; ++level) {
      const bool to_root = what == network_collective::reduce && level + 1 == levels_;
      slowest = std::max(slowest, work(children(level) - (to_root ? 1 : 0), level));
    }
    return slowest;
  }

  /// When `packets` have left the root's unit of the slowest level below the top: they take what
  /// siblings send early, and then the results from above.
  [[nodiscard]] duration through_roots_units(std::int64_t packets) const {
    duration last;
    for (int level = 0; level + 1 < levels_; ++level) {
      const duration begin = level == 0 ? with_.send_overhead : leaves(level - 1, below(level), 0);
      last = std::max(last, begin + hop_ + whole_ + work(children(level), level) * packets +
                                with_.switch_delay + after(level) + whole_ + with_.channel_delay +
                                with_.receive_overhead);
    }
    return last;
  }

 private:
  /// Nodes below one port of a level.
  [[nodiscard]] int below(int level) const noexcept {
    std::int64_t nodes = 1;
    for (int l = 0; l < level; ++l) nodes *= on_.down_ports(l);
    return static_cast<int>(std::min<std::int64_t>(nodes, INT32_MAX));
  }
  [[nodiscard]] int children(int level) const noexcept {
    return std::min(on_.down_ports(level), (members_ + below(level) - 1) / below(level));
  }
  /// Ports are dealt to the leaf units of a switch in blocks; its root unit takes in their results.
  [[nodiscard]] int block(int level) const noexcept {
    const int ports = on_.down_ports(level) + (level + 1 < on_.levels() ? on_.up_ports(level) : 0);
    const int leaf_units = std::max(1, with_.combine_units - 1);
    return (ports + leaf_units - 1) / leaf_units;
  }
  /// Combining packets that come at once.
  [[nodiscard]] duration combining(int packets, int level) const noexcept {
    if (with_.combine_units == 1) return combine_ * packets;
    const int each = block(level);
    return combine_ * (std::min(each, packets) + (packets + each - 1) / each);
  }
  /// What the busiest unit of a switch has of it.
  [[nodiscard]] duration work(int packets, int level) const noexcept {
    if (with_.combine_units == 1) return combine_ * packets;
    const int each = block(level);
    return combine_ * std::max(std::min(each, packets), (packets + each - 1) / each);
  }

  /// When the result of the first `nodes` below a switch leaves it. Subtrees that are not full are
  /// there before the others. `root_branches`: one branch is not waited for.
  [[nodiscard]] duration leaves(int level, int nodes, int root_branches) const {
    if (level < 0) return with_.send_overhead;
    const int each = below(level);
    const int full = nodes / each - root_branches;
    const int rest = nodes % each;
    duration ready;
    if (rest > 0) {
      ready = leaves(level - 1, rest, 0) + hop_ + whole_ + combining(1, level);
    }
    if (full > 0) {
      ready = std::max(ready, leaves(level - 1, each, 0) + hop_ + whole_) + combining(full, level);
    }
    return ready + with_.switch_delay;
  }
  /// The way of a result down to the root, from a switch of this level on: at each switch all
  /// others are there before it.
  [[nodiscard]] duration after(int level) const noexcept {
    return (hop_ + whole_ + combining(1, 0) + with_.switch_delay) * level;
  }

  const fat_tree& on_;
  int members_;
  const network_costs& with_;
  duration hop_;
  duration whole_;
  duration combine_;
  int levels_ = 1;
};

}  // namespace

network_costs fitted(network_costs given, const machine& on, const topology& in, bool nic_memory) {
  const machine_level& outermost = on.levels.back();
  if (!outermost.has_costs()) {
    throw error(error_kind::configuration,
                fmt::format("machine {} has no costs at its outermost level, which a network of "
                            "packets needs; add them to {}",
                            on.name, on.origin));
  }
  if (on.nic.packet_bytes) given.packet_bytes = static_cast<std::uint32_t>(*on.nic.packet_bytes);
  const double per_byte_ns = nic_memory ? needed(on, on.nic.memory_beta_ns_per_byte,
                                                 "nic.memory_beta", "sending from NIC memory")
                                        : long_message_ns_per_byte(outermost);
  const message_cost empty = cost_of_message(on, on.levels.size() - 1, 0);
  given.message_gap = empty.busy;
  split_latency(given, empty.latency, in);
  given.nic_ps_per_byte = std::llround(per_byte_ns * 1e3);
  // From the NIC's own memory nothing is read through what both directions share.
  given.one_budget = on.nic.traffic == nic_protocol::budget::shared && !nic_memory;
  // A link is as fast as the NIC at least; where its rate is not known, just as fast.
  if (!on.nic.packets_in_flight) {
    given.ps_per_byte = std::max<std::int64_t>(given.nic_ps_per_byte, 1);
  }
  return given;
}

duration collective_time(network_collective what, std::uint64_t bytes, const fat_tree& on,
                         int members, const network_costs& with) {
  if (members <= 1) return {};
  const std::uint64_t all = std::max(bytes, least_packet_bytes);
  const std::uint64_t packets = (all + with.packet_bytes - 1) / with.packet_bytes;
  const auto last = static_cast<std::uint32_t>(all - (packets - 1) * with.packet_bytes);
  const auto first = packets == 1 ? last : with.packet_bytes;
  const pass full(on, members, first, with);
  const duration in_turn = pass(on, members, last, with).alone(what) +
                           full.apart(what) * static_cast<std::int64_t>(packets - 1);
  if (what != network_collective::reduce) return in_turn;
  return std::max(in_turn, full.through_roots_units(static_cast<std::int64_t>(packets)));
}

bool has_network_collectives(const machine& on) {
  if (!on.topology || on.nic.packets_in_flight || on.ranks_in(level_kind::node) != 1) return false;
  const std::string& kind = on.topology->kind;
  return kind == "fat_tree" || kind == "clos" || kind == "crossbar";
}

}  // namespace upwash::model
