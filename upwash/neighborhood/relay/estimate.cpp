// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/estimate.hpp"

#include <algorithm>

#include "upwash/model/cost.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::neighborhoods {
namespace {

double ns_of(const std::optional<duration>& time) { return time ? time->ns() : 0; }

/// What an edge takes in all, with what answers it, in nanoseconds.
struct edge_cost {
  double sending = 0;    ///< of the sender's processor
  double receiving = 0;  ///< of the receiver's
  double out = 0;        ///< for which it holds ports on the way there
  double back = 0;       ///< and on the way back
  double latency = 0;    ///< from end to end, as often as it goes there and back
  int hops = 0;          ///< a processor waits for another so often
};

/// Edges travel as the pricer has them: large ones are offered, fetched and acknowledged.
class edge_costs {
 public:
  explicit edge_costs(const machine& on) : on_(on), kept_(on.levels.size()) {}

  [[nodiscard]] const edge_cost& of(std::size_t level, std::uint64_t bytes) {
    kept& last = kept_[level];
    if (last.bytes != bytes) last = {bytes, made(level, bytes)};
    return last.cost;
  }

  /// Of ranks that share no more than a node.
  [[nodiscard]] std::size_t level_of_node() const {
    const std::size_t outermost = on_.levels.size() - 1;
    std::size_t found = outermost;
    while (found > 0 && on_.levels[found].kind > level_kind::node) --found;
    return on_.levels[found].has_costs() ? found : outermost;
  }
  /// The ranks of a node lie on its cores in their order.
  [[nodiscard]] std::size_t level(const placement& nodes, int a, int b) const {
    if (!nodes.together(a, b)) return on_.levels.size() - 1;
    const std::size_t found = on_.level_between(nodes.place_in_node(a), nodes.place_in_node(b));
    return std::min(found, level_of_node());
  }

 private:
  struct kept {
    std::uint64_t bytes = ~std::uint64_t{0};
    edge_cost cost;
  };

  [[nodiscard]] edge_cost made(std::size_t level, std::uint64_t bytes) const {
    const double executor = ns_of(on_.processor.edge);
    edge_cost all{.sending = executor, .receiving = executor};
    const schedule::wire way = schedule::lower(bytes, false, false, {});
    for (const schedule::wire_step& each : way.all()) add(all, level, each);
    all.hops = way.count;
    if (way.how == mechanism::eager) {
      all.receiving += static_cast<double>(bytes) * on_.processor.copy_ns_per_byte.value_or(0);
    }
    return all;
  }

  void add(edge_cost& to, std::size_t level, const schedule::wire_step& what) const {
    const model::message_cost cost = model::cost_of_message(on_, level, what.bytes);
    const double streamed =
        static_cast<double>(what.bytes) * on_.processor.edge_ns_per_byte.value_or(0);
    const double busy = cost.busy.ns() + streamed;
    to.latency += cost.latency.ns() + cost.transfer.ns() + streamed;
    if (what.what == schedule::wire_step::kind::get) {
      const model::message_cost request = model::cost_of_message(on_, level, 0);
      to.receiving += request.send_overhead.ns();
      to.back += request.busy.ns();
      to.out += busy;
      to.latency += request.latency.ns() + request.transfer.ns();
      return;
    }
    (what.backwards ? to.receiving : to.sending) += cost.send_overhead.ns();
    (what.backwards ? to.sending : to.receiving) += cost.receive_overhead.ns();
    (what.backwards ? to.back : to.out) += busy;
  }

  const machine& on_;
  std::vector<kept> kept_;  ///< by level
};

/// Ranks that share a core.
int sharers(const placement& nodes, int rank, const machine& on) {
  const auto ranks = static_cast<int>(nodes.ranks_of(nodes.node_of(rank)).size());
  const int cores = on.processor.cores_per_node.value_or(ranks);
  return (ranks + cores - 1) / cores;
}

/// Until all ranks of a core have had their turn.
double turns(int sharing, const machine& on) {
  return sharing > 1 ? sharing * ns_of(on.processor.core_switch) : 0;
}

}  // namespace

std::size_t rounds_of(const relay_plan& plan) noexcept {
  return plan.rounds.empty() ? 0 : plan.rounds.back().number + std::size_t{1};
}

round_times estimate(const relay_plan& plan, int rank, std::uint64_t bytes, std::size_t rounds,
                     const placement& nodes, const machine& on) {
  edge_costs costs(on);
  const laid_out_plan layout(plan, bytes);
  const double copy = static_cast<double>(bytes) * on.processor.copy_ns_per_byte.value_or(0);
  const bool shared_adapter = on.levels.size() > 1 && on.nic.of == nic_protocol::owner::node;
  const bool one_budget = on.nic.traffic == nic_protocol::budget::shared;
  const int sharing = sharers(nodes, rank, on);
  round_times all{std::vector<double>(rounds), std::vector<double>(rounds),
                  std::vector<double>(rounds)};
  if (plan.shared_slots > 0) {
    const shared_reading what{static_cast<double>(plan.own_slots),
                              static_cast<double>(plan.deliveries.size())};
    if (rounds > 0) all.work[0] = estimate(what, rank, bytes, nodes, on);
    return all;
  }
  std::size_t sent = 0;
  std::size_t received = 0;
  auto delivered = plan.deliveries.begin();
  for (const relay_plan::round& now : plan.rounds) {
    double work = 0;
    double out = 0;
    double in = 0;
    int hops = 0;
    double& latency = all.latency[now.number];
    const auto pass = [&](int peer, const edge_cost& cost, double leaving, double coming) {
      out += leaving;
      in += coming;
      latency = std::max(latency, cost.latency);
      hops = std::max(hops, cost.hops);
      if (nodes.together(rank, peer) || !shared_adapter) return;
      all.adapter[now.number] += leaving + (one_budget ? coming : 0);
    };
    for (; sent < now.sends_end; ++sent) {
      const relay_plan::message& one = plan.sends[sent];
      const edge_cost& cost = costs.of(costs.level(nodes, rank, one.peer), bytes * one.count);
      work += cost.sending + (layout.is_packed(sent) ? copy * one.count : 0);
      pass(one.peer, cost, cost.out, cost.back);
    }
    for (; received < now.receives_end; ++received) {
      const relay_plan::message& one = plan.receives[received];
      const edge_cost& cost = costs.of(costs.level(nodes, rank, one.peer), bytes * one.count);
      work += cost.receiving;
      pass(one.peer, cost, cost.back, cost.out);
      while (delivered != plan.deliveries.end() && delivered->slot < one.first + one.count) {
        work += one.count > 1 ? copy : 0;
        ++delivered;
      }
    }
    const double port = one_budget ? out + in : std::max(out, in);
    all.work[now.number] = std::max(work * sharing, port);
    latency += hops * turns(sharing, on);
  }
  return all;
}

double estimate(const shared_reading& what, int rank, std::uint64_t bytes, const placement& nodes,
                const machine& on) {
  const model::message_cost near = model::cost_of_message(on, edge_costs(on).level_of_node(), 0);
  const int sharing = sharers(nodes, rank, on);
  const double copy = static_cast<double>(bytes) * on.processor.copy_ns_per_byte.value_or(0);
  const double look = near.send_overhead.ns() + near.receive_overhead.ns();
  return (what.own_blocks * copy + what.sources * (look + copy)) * sharing + near.latency.ns() +
         turns(sharing, on);
}

double least_of_relaying(int rank, const placement& nodes, const machine& on) {
  edge_costs costs(on);
  const edge_cost& near = costs.of(costs.level_of_node(), 0);
  const int sharing = sharers(nodes, rank, on);
  return 2 * ((near.sending + near.receiving) * sharing + near.latency + turns(sharing, on));
}

}  // namespace upwash::neighborhoods
