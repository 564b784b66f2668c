// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/estimate.hpp"

#include <algorithm>

namespace upwash::neighborhoods {
namespace {

double ns_of(const std::optional<duration>& time) { return time ? time->ns() : 0; }

/// What a message takes between ranks that are as near as that.
class message_cost {
 public:
  message_cost(const machine& on, bool together) : on_(on), level_(level_of(on, together)) {}

  [[nodiscard]] double sending(double bytes) const {
    const double fixed = ns_of(level_.send_overhead) + ns_of(on_.processor.edge);
    return fixed + level_.send_ns_per_byte * bytes + wire(bytes);
  }
  [[nodiscard]] double receiving(double bytes) const {
    return ns_of(level_.receive_overhead) + ns_of(on_.processor.edge) +
           level_.receive_ns_per_byte * bytes;
  }
  /// At a word of a peer.
  [[nodiscard]] double look() const {
    return ns_of(level_.send_overhead) + ns_of(level_.receive_overhead);
  }
  [[nodiscard]] double latency() const { return level_.loggp ? level_.loggp->latency.ns() : 0; }
  /// What holds the adapter.
  [[nodiscard]] double wire(double bytes) const {
    if (level_.alpha_beta && !level_.alpha_beta->pieces.empty()) {
      const alpha_beta_piece* found = &level_.alpha_beta->pieces.front();
      for (const alpha_beta_piece& each : level_.alpha_beta->pieces) {
        if (static_cast<double>(each.from_bytes) <= bytes) found = &each;
      }
      return found->alpha.ns() + bytes * found->beta_ns_per_byte;
    }
    if (!level_.loggp) return 0;
    return std::max(level_.loggp->gap.ns(), bytes * level_.loggp->gap_ns_per_byte);
  }

 private:
  /// The outermost level inside a node, or the outermost of all; levels without costs are those of
  /// the next one out.
  static const machine_level& level_of(const machine& on, bool together) {
    const machine_level* found = &on.levels.back();
    for (auto each = on.levels.rbegin(); each != on.levels.rend() && together; ++each) {
      if (each->kind <= level_kind::node && each->has_costs()) {
        found = &*each;
        break;
      }
    }
    return *found;
  }

  const machine& on_;
  const machine_level& level_;
};

/// The time in which all ranks of a core have had their turn.
double turns(const placement& nodes, int rank, const machine& on) {
  const auto ranks = static_cast<double>(nodes.ranks_of(nodes.node_of(rank)).size());
  const double cores = on.processor.cores_per_node.value_or(0);
  if (cores == 0 || ranks <= cores) return 0;
  return ranks / cores * ns_of(on.processor.core_switch);
}

}  // namespace

std::size_t rounds_of(const relay_plan& plan) noexcept {
  return plan.rounds.empty() ? 0 : plan.rounds.back().number + std::size_t{1};
}

round_times estimate(const relay_plan& plan, int rank, std::uint64_t bytes, std::size_t rounds,
                     const placement& nodes, const machine& on) {
  const message_cost near(on, true);
  const message_cost far(on, false);
  const auto block = static_cast<double>(bytes);
  const double copy = block * on.processor.copy_ns_per_byte.value_or(0);
  const bool shared_adapter = on.nic.of == nic_protocol::owner::node;
  const double waits = turns(nodes, rank, on);
  if (plan.shared_slots > 0) {
    round_times once{std::vector<double>(rounds), std::vector<double>(rounds)};
    const auto sources = static_cast<double>(plan.deliveries.size());
    if (rounds > 0) {
      once.own[0] =
          estimate({static_cast<double>(plan.own_slots), sources}, rank, bytes, nodes, on);
    }
    return once;
  }
  round_times all{std::vector<double>(rounds), std::vector<double>(rounds)};
  std::size_t sent = 0;
  std::size_t received = 0;
  for (const relay_plan::round& now : plan.rounds) {
    double& work = all.own[now.number];
    double latency = 0;
    for (; sent < now.sends_end; ++sent) {
      const relay_plan::message& one = plan.sends[sent];
      const bool together = nodes.together(rank, one.peer);
      const message_cost& cost = together ? near : far;
      const double size = block * one.count;
      work += cost.sending(size) + (one.count > 1 ? copy * one.count : 0);
      if (!together && shared_adapter) all.adapter[now.number] += far.wire(size);
      latency = std::max(latency, cost.latency());
    }
    for (; received < now.receives_end; ++received) {
      const relay_plan::message& one = plan.receives[received];
      const message_cost& cost = nodes.together(rank, one.peer) ? near : far;
      work += cost.receiving(block * one.count) + (one.count > 1 ? copy * one.count : 0);
      latency = std::max(latency, cost.latency());
    }
    work += latency + waits;
  }
  return all;
}

double estimate(const shared_reading& what, int rank, std::uint64_t bytes, const placement& nodes,
                const machine& on) {
  const message_cost near(on, true);
  const double copy = static_cast<double>(bytes) * on.processor.copy_ns_per_byte.value_or(0);
  return what.own_blocks * copy + near.latency() + what.sources * (near.look() + copy) +
         turns(nodes, rank, on);
}

double least_of_relaying(int rank, const placement& nodes, const machine& on) {
  const message_cost near(on, true);
  return 2 * (near.sending(0) + near.receiving(0) + near.latency() + turns(nodes, rank, on));
}

double sum_of(const round_times& of_all, int nodes) {
  double sum = 0;
  for (const double each : of_all.own) sum += each;
  for (const double each : of_all.adapter) sum += each / nodes;
  return sum;
}

double estimate_all(std::span<const relay_plan> plans, std::uint64_t bytes, const placement& nodes,
                    const machine& on) {
  std::size_t rounds = 0;
  for (const relay_plan& each : plans) rounds = std::max(rounds, rounds_of(each));
  round_times all{std::vector<double>(rounds), std::vector<double>(rounds)};
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    const round_times one = estimate(plans[rank], static_cast<int>(rank), bytes, rounds, nodes, on);
    for (std::size_t i = 0; i < rounds; ++i) {
      all.own[i] = std::max(all.own[i], one.own[i]);
      all.adapter[i] += one.adapter[i];
    }
  }
  return sum_of(all, nodes.nodes());
}

}  // namespace upwash::neighborhoods
