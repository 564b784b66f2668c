// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/estimate.hpp"

#include <algorithm>

#include "upwash/model/cost.hpp"
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
  explicit edge_costs(const cost_terms& in)
      : on_(in.on), nodes_(in.nodes), kept_(in.on.levels.size()) {
    rules_.eager_bytes = in.eager_bytes;
  }

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
  [[nodiscard]] std::size_t level(int a, int b) const {
    if (!nodes_.together(a, b)) return on_.levels.size() - 1;
    const std::size_t found = on_.level_between(nodes_.place_of(a), nodes_.place_of(b));
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
    const schedule::wire way = schedule::lower(bytes, false, false, rules_);
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
  const model::node_map& nodes_;
  schedule::transfer_rules rules_;
  std::vector<kept> kept_;  ///< by level
};

/// Ranks that share a core.
int sharers(const model::node_map& nodes, int rank, const machine& on) {
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

namespace {

/// Goes through one rank's plan, round by round.
class estimated_plan {
 public:
  estimated_plan(const laid_out_plan& layout, int rank, const cost_terms& in)
      : layout_(layout),
        plan_(layout.plan()),
        rank_(rank),
        nodes_(in.nodes),
        on_(in.on),
        costs_(in),
        looking_(model::cost_of_message(on_, costs_.level_of_node(), 0)),
        delivered_(plan_.deliveries.begin()) {}

  void add(const relay_plan::round& now, round_times& all) {
    in_ = out_ = work_ = adapter_ = latency_ = 0;
    hops_ = 0;
    for (; layout_.inside_nodes() && laid_ < now.laid_end; ++laid_) {
      work_ += copy(layout_.slot_bytes(plan_.laid[laid_]));
    }
    for (; sent_ < now.sends_end; ++sent_) send(sent_);
    for (; received_ < now.receives_end; ++received_) receive(plan_.receives[received_]);
    const int sharing = sharers(nodes_, rank_, on_);
    const bool one_budget = on_.nic.traffic == nic_protocol::budget::shared;
    const double port = one_budget ? out_ + in_ : std::max(out_, in_);
    all.work[now.number] = std::max(work_ * sharing, port);
    all.latency[now.number] = latency_ + hops_ * turns(sharing, on_);
    all.adapter[now.number] = adapter_;
  }

 private:
  [[nodiscard]] double copy(std::uint64_t bytes) const {
    return static_cast<double>(bytes) * on_.processor.copy_ns_per_byte.value_or(0);
  }
  [[nodiscard]] bool is_handed_over(const relay_plan::message& one) const {
    return layout_.inside_nodes() && one.is_handed_over();
  }
  const edge_cost& cost_of(const relay_plan::message& one, std::uint64_t bytes) {
    return costs_.of(costs_.level(rank_, one.peer), bytes);
  }
  void pass(int peer, const edge_cost& cost, double leaving, double coming) {
    out_ += leaving;
    in_ += coming;
    wait(cost.latency, cost.hops);
    const bool shared_adapter = on_.levels.size() > 1 && on_.nic.of == nic_protocol::owner::node;
    if (nodes_.together(rank_, peer) || !shared_adapter) return;
    adapter_ += leaving + (on_.nic.traffic == nic_protocol::budget::shared ? coming : 0);
  }
  void wait(double latency, int hops) {
    latency_ = std::max(latency_, latency);
    hops_ = std::max(hops_, hops);
  }
  void send(std::size_t which) {
    const relay_plan::message& one = plan_.sends[which];
    if (is_handed_over(one)) return;
    const std::uint64_t bytes = layout_.piece_of(which).bytes;
    const edge_cost& cost = cost_of(one, bytes);
    work_ += cost.sending + (layout_.is_packed(which) ? copy(bytes) : 0);
    pass(one.peer, cost, cost.out, cost.back);
  }
  void receive(const relay_plan::message& one) {
    const bool handed = is_handed_over(one);
    if (handed) {
      work_ += looking_.send_overhead.ns() + looking_.receive_overhead.ns();
      wait(looking_.latency.ns(), 1);
    } else {
      const edge_cost& cost = cost_of(one, layout_.piece_for(one).bytes);
      work_ += cost.receiving;
      pass(one.peer, cost, cost.back, cost.out);
    }
    for (; delivered_ != plan_.deliveries.end() && delivered_->slot < one.first + one.count;
         ++delivered_) {
      work_ += handed || one.count > 1 ? copy(layout_.slot_bytes(delivered_->slot)) : 0;
    }
  }

  const laid_out_plan& layout_;
  const relay_plan& plan_;
  int rank_;
  const model::node_map& nodes_;
  const machine& on_;
  edge_costs costs_;
  model::message_cost looking_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  std::size_t laid_ = 0;
  std::vector<relay_plan::delivery>::const_iterator delivered_;
  // Of the round:
  double work_ = 0;
  double out_ = 0;
  double in_ = 0;
  double latency_ = 0;
  double adapter_ = 0;
  int hops_ = 0;
};

}  // namespace

round_times estimate(const laid_out_plan& layout, int rank, std::size_t rounds,
                     const cost_terms& in) {
  const relay_plan& plan = layout.plan();
  round_times all{std::vector<double>(rounds), std::vector<double>(rounds),
                  std::vector<double>(rounds)};
  if (plan.shared_slots > 0) {
    const shared_reading what{static_cast<double>(plan.own_slots),
                              static_cast<double>(plan.deliveries.size())};
    const std::uint64_t bytes = plan.slots > 0 ? layout.slot_bytes(0) : 0;
    if (rounds > 0) all.work[0] = estimate(what, rank, bytes, in);
    return all;
  }
  estimated_plan through(layout, rank, in);
  for (const relay_plan::round& now : plan.rounds) through.add(now, all);
  return all;
}

double estimate(const shared_reading& what, int rank, std::uint64_t bytes, const cost_terms& in) {
  const machine& on = in.on;
  const model::message_cost near = model::cost_of_message(on, edge_costs(in).level_of_node(), 0);
  const int sharing = sharers(in.nodes, rank, on);
  const double copy = static_cast<double>(bytes) * on.processor.copy_ns_per_byte.value_or(0);
  const double look = near.send_overhead.ns() + near.receive_overhead.ns();
  return (what.own_blocks * copy + what.sources * (look + copy)) * sharing + near.latency.ns() +
         turns(sharing, on);
}

double least_of_relaying(int rank, const cost_terms& in) {
  edge_costs costs(in);
  const edge_cost& near = costs.of(costs.level_of_node(), 0);
  const int sharing = sharers(in.nodes, rank, in.on);
  return 2 * ((near.sending + near.receiving) * sharing + near.latency + turns(sharing, in.on));
}

bool is_near_cheaper(const cost_terms& in) {
  const bool in_company = in.nodes.nodes() < in.nodes.ranks();
  return in_company && edge_costs(in).level_of_node() + 1 < in.on.levels.size();
}

double least_time(const least_effort& effort, double volume, const cost_terms& in) {
  const model::node_map& nodes = in.nodes;
  const machine& on = in.on;
  edge_costs costs(in);
  const bool apart = nodes.nodes() == nodes.ranks();
  const std::size_t outermost = on.levels.size() - 1;
  const std::size_t inner = apart ? outermost : costs.level_of_node();
  const edge_cost near = costs.of(inner, 0);
  const edge_cost far = nodes.nodes() > 1 ? costs.of(outermost, 0) : near;
  constexpr std::uint64_t many = std::uint64_t{1} << 20U;
  double a_byte = model::cost_of_message(on, inner, many).busy.ns() / static_cast<double>(many);
  if (!apart) a_byte = std::min(a_byte, on.processor.copy_ns_per_byte.value_or(a_byte));
  const auto passing = [](const edge_cost& one) {
    return one.sending + one.latency + one.receiving;
  };
  const auto work = [](double messages, const edge_cost& one) {
    return std::max(0.0, messages) * (one.sending + one.receiving);
  };
  const double far_beside = effort.far_messages - effort.far_rounds;
  const double near_beside = effort.messages - effort.far_messages - effort.near_rounds;
  const double beside = effort.messages - effort.far_rounds - effort.near_rounds;
  return effort.far_rounds * passing(far) + effort.near_rounds * passing(near) +
         std::max({work(beside, near), work(far_beside, far) + work(near_beside, near),
                   volume * a_byte});
}

}  // namespace upwash::neighborhoods
