// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "tools/call_prices.hpp"
#include "tools/trace_actions.hpp"
#include "upwash/base/error.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network.hpp"
#include "upwash/simulator/network/packet_carrier.hpp"
#include "upwash/simulator/network/parameters.hpp"

namespace upwash::tools {
namespace {

using kind = rank_action::kind;

/// What things take: as measured, or on a machine.
class timing {
 public:
  timing() = default;
  timing(const machine& on, int ranks, const std::string& topology) {
    network_.emplace(on, ranks);
    prices_ = std::make_unique<call_prices>(on);
    if (topology.empty()) return;
    const int each = std::min(on.ranks_in(level_kind::node), ranks);
    const auto described = model::parse_topology(topology);
    switches_ = model::make_topology(described);
    packets_ = std::make_unique<simulator::packet_carrier>(
        *switches_, simulator::parameters_of(on, *switches_), ranks, each, 1);
  }

  [[nodiscard]] bool measured() const noexcept { return !network_.has_value(); }
  [[nodiscard]] simulator::message_network& network() { return *network_; }
  [[nodiscard]] simulator::carrier* packets() noexcept { return packets_.get(); }
  [[nodiscard]] model::message_cost cost(int a, int b, std::uint64_t bytes) {
    return network_->cost(network_->level(a, b), bytes);
  }
  /// From the last begin that a member waits for, to its end.
  [[nodiscard]] std::int64_t call_time(const replayed_call& of, std::int64_t own_ps) {
    if (measured() || of.longest_ps == 0) return own_ps;
    const auto priced = prices_->price(of.operation, of.bytes, static_cast<int>(of.members.size()));
    if (!priced) return own_ps;
    const double share = static_cast<double>(own_ps) / static_cast<double>(of.longest_ps);
    return static_cast<std::int64_t>(static_cast<double>(priced->ps()) * share);
  }

 private:
  std::optional<simulator::message_network> network_;
  std::unique_ptr<call_prices> prices_;
  std::unique_ptr<const model::topology> switches_;
  std::unique_ptr<simulator::packet_carrier> packets_;
};

class replay {
 public:
  replay(const trace_actions& of, timing& by)
      : of_(of), by_(by), messages_(of.messages.size()), calls_(of.calls.size()) {
    for (std::size_t i = 0; i < of.ranks.size(); ++i) {
      const replayed_rank& each = of.ranks[i];
      ranks_.push_back({&each, 0, each.begin_ps, 0, each.begin_ps});
      add(each.begin_ps, event::go_on, i);
    }
    for (std::size_t i = 0; i < of.calls.size(); ++i) {
      for (const replayed_call::member& m : of.calls[i].members) calls_[i].begun[m.rank] = -1;
    }
  }

  what_if run() {
    for (;;) {
      while (step()) continue;
      if (!strand()) break;
    }
    what_if made;
    for (const state& each : ranks_) {
      made.ranks.push_back({each.of->rank, each.now, each.work});
      made.total_ps = std::max(made.total_ps, each.now);
    }
    made.stranded = stranded_;
    return made;
  }

 private:
  enum class event : std::uint8_t { go_on, depart, head };
  struct scheduled {
    std::int64_t at;
    std::uint64_t turn;  ///< in which they were scheduled, for those of one time
    event what;
    std::size_t which;
    friend bool operator>(const scheduled& a, const scheduled& b) noexcept {
      return std::tuple(a.at, a.turn) > std::tuple(b.at, b.turn);
    }
  };
  struct state {
    const replayed_rank* of;
    std::size_t next;
    std::int64_t now;
    std::int64_t work;
    std::int64_t puts_there;
    bool waits = false;
  };
  struct message_state {
    std::int64_t there = -1;  ///< at the receiver; -1: not yet
    std::optional<std::size_t> waits;
  };
  struct call_state {
    std::map<int, std::int64_t> begun;  ///< by rank; -1: not yet
    std::vector<std::size_t> wait;
  };

  void add(std::int64_t at, event what, std::size_t which) {
    events_.push({at, turns_++, what, which});
  }

  /// The next event; packets run up to each before it happens.
  bool step() {
    if (simulator::carrier* through = by_.packets()) {
      const auto until =
          events_.empty() ? through->next_time() : duration::from_ps(events_.top().at);
      const bool under_way = through->next_time() != duration::max();
      if (under_way && through->run(until, [this](std::uint64_t id, duration at) {
            is_there(static_cast<std::size_t>(id), at.ps());
          })) {
        return true;
      }
      if (events_.empty()) return under_way;
    }
    if (events_.empty()) return false;
    const scheduled now = events_.top();
    events_.pop();
    switch (now.what) {
      case event::go_on: go_on(now.which, now.at); break;
      case event::depart: depart(now.which, now.at); break;
      case event::head: head_came(now.which, now.at); break;
    }
    return true;
  }

  void go_on(std::size_t i, std::int64_t at) {
    state& r = ranks_[i];
    r.now = std::max(r.now, at);
    r.waits = false;
    while (r.next < r.of->actions.size()) {
      // Others that are behind go first: ports are taken in the order of time.
      if (!events_.empty() && events_.top().at < r.now) return add(r.now, event::go_on, i);
      if (!act(i, r, r.of->actions[r.next])) {
        r.waits = true;
        return;
      }
      ++r.next;
    }
  }

  /// False: it cannot yet, and is woken when it can.
  bool act(std::size_t i, state& r, const rank_action& a) {
    switch (a.what) {
      case kind::work:
        r.now += a.ps;
        r.work += a.ps;
        return true;
      case kind::send: send(r, a); return true;
      case kind::arrive: return arrive(i, r, a);
      case kind::put:
      case kind::fetch:
      case kind::flush: touch(r, a); return true;
      case kind::enter: enter(r, a); return true;
      case kind::leave: return leave(i, r, a);
    }
    return true;
  }

  void send(state& r, const rank_action& a) {
    const replayed_message& m = of_.messages[a.which];
    if (by_.measured()) {
      add(r.now + m.flight_ps, event::head, a.which);
      r.now += a.ps;
      return;
    }
    const std::int64_t overhead = by_.cost(m.from, m.to, m.bytes).send_overhead.ps();
    if (by_.network().has_threads()) {
      return add(by_.network()
                     .by_thread(m.from, duration::from_ps(r.now), duration::from_ps(overhead))
                     .ps(),
                 event::depart, a.which);
    }
    r.now += overhead;
    add(r.now, event::depart, a.which);
  }

  void depart(std::size_t which, std::int64_t at) {
    const replayed_message& m = of_.messages[which];
    if (m.from == m.to) return is_there(which, at);
    simulator::carrier* through = by_.packets();
    if (through != nullptr && through->carries(m.from, m.to)) {
      return through->send(duration::from_ps(at), m.from, m.to, std::max<std::uint64_t>(m.bytes, 1),
                           which);
    }
    const std::size_t level = by_.network().level(m.from, m.to);
    add(by_.network()
            .depart(level, m.from, duration::from_ps(at), by_.cost(m.from, m.to, m.bytes))
            .ps(),
        event::head, which);
  }

  void head_came(std::size_t which, std::int64_t at) {
    if (by_.measured()) return is_there(which, at);
    const replayed_message& m = of_.messages[which];
    const std::size_t level = by_.network().level(m.from, m.to);
    is_there(which, by_.network()
                        .arrive(level, m.to, duration::from_ps(at), by_.cost(m.from, m.to, m.bytes))
                        .ps());
  }

  void is_there(std::size_t which, std::int64_t at) {
    message_state& m = messages_[which];
    m.there = at;
    if (!by_.measured() && by_.network().has_threads()) {
      const replayed_message& of = of_.messages[which];
      m.there = by_.network()
                    .by_thread(of.to, duration::from_ps(at),
                               by_.cost(of.from, of.to, of.bytes).receive_overhead)
                    .ps();
    }
    if (m.waits) add(m.there, event::go_on, *std::exchange(m.waits, std::nullopt));
  }

  bool arrive(std::size_t i, state& r, const rank_action& a) {
    message_state& m = messages_[a.which];
    if (m.there < 0) {
      m.waits = i;
      return false;
    }
    r.now = std::max(r.now, m.there);
    if (!by_.measured() && !by_.network().has_threads()) {
      const replayed_message& of = of_.messages[a.which];
      r.now += by_.cost(of.from, of.to, of.bytes).receive_overhead.ps();
    }
    return true;
  }

  void touch(state& r, const rank_action& a) {
    if (by_.measured()) {
      r.now += a.ps;
      return;
    }
    if (a.what == kind::flush) {
      r.now = std::max(r.now, r.puts_there);
      return;
    }
    const int peer = a.peer < 0 ? r.of->rank : a.peer;
    const model::message_cost cost = by_.cost(r.of->rank, peer, a.bytes);
    r.now += cost.send_overhead.ps();
    const std::int64_t way = (cost.latency + cost.transfer).ps();
    if (a.what == kind::put) {
      r.puts_there = std::max(r.puts_there, r.now + way + cost.latency.ps());
    } else {
      r.now += cost.latency.ps() + way;
    }
  }

  void enter(state& r, const rank_action& a) {
    call_state& call = calls_[a.which];
    call.begun[r.of->rank] = r.now;
    for (const std::size_t each : std::exchange(call.wait, {})) add(r.now, event::go_on, each);
  }

  /// The members that it waited for let it go on.
  bool leave(std::size_t i, state& r, const rank_action& a) {
    const replayed_call& of = of_.calls[a.which];
    call_state& call = calls_[a.which];
    const auto mine = std::ranges::find(of.members, r.of->rank, &replayed_call::member::rank);
    std::int64_t last_then = mine->begin_ps;
    std::int64_t last = call.begun[r.of->rank];
    for (const replayed_call::member& each : of.members) {
      if (each.begin_ps >= mine->end_ps) continue;
      const std::int64_t begun = call.begun[each.rank];
      if (begun < 0) {
        call.wait.push_back(i);
        return false;
      }
      last_then = std::max(last_then, each.begin_ps);
      last = std::max(last, begun);
    }
    r.now = std::max(r.now, last + by_.call_time(of, mine->end_ps - last_then));
    return true;
  }

  /// Ranks whose messages are not in the trace go on, the one that is furthest behind first.
  bool strand() {
    std::optional<std::size_t> behind;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].waits && (!behind || ranks_[i].now < ranks_[*behind].now)) behind = i;
    }
    if (!behind) return false;
    ++stranded_;
    ++ranks_[*behind].next;
    add(ranks_[*behind].now, event::go_on, *behind);
    return true;
  }

  const trace_actions& of_;
  timing& by_;
  std::vector<state> ranks_;
  std::vector<message_state> messages_;
  std::vector<call_state> calls_;
  std::priority_queue<scheduled, std::vector<scheduled>, std::greater<>> events_;
  std::uint64_t turns_ = 0;
  std::uint64_t stranded_ = 0;
};

double us(std::int64_t ps) { return static_cast<double>(ps) * 1e-6; }

}  // namespace

void add_what_if(CLI::App& command, what_if_options& chosen) {
  command
      .add_option(
          "--on", chosen.machines,
          "Replay the trace on this machine (a name or a file) and print its times; repeatable")
      ->allow_extra_args(false);
  command.add_option(
      "--topology", chosen.topology,
      "--on: simulate messages between nodes as packets on this topology, as torus:size=4x4");
}

std::vector<what_if> replay_trace(const observe::trace& of, const what_if_options& asked) {
  if (asked.machines.empty()) {
    if (asked.topology.empty()) return {};
    throw error(error_kind::argument, "--topology needs --on: the machine whose messages travel");
  }
  const trace_actions actions = actions_of(of);
  std::vector<what_if> all;
  timing as_it_was;
  all.push_back(replay(actions, as_it_was).run());
  for (const std::string& name : asked.machines) {
    timing there(load_machine(name), of.size(), asked.topology);
    all.push_back(replay(actions, there).run());
    all.back().on = asked.topology.empty() ? name : fmt::format("{}, {}", name, asked.topology);
  }
  return all;
}

nlohmann::json json_of(const std::vector<what_if>& all) {
  nlohmann::json made = nlohmann::json::array();
  for (const what_if& each : all) {
    nlohmann::json ranks = nlohmann::json::array();
    for (const what_if::at_rank& r : each.ranks) {
      ranks.push_back({{"rank", r.rank}, {"us", us(r.end_ps)}, {"work_us", us(r.work_ps)}});
    }
    made.push_back({{"on", each.on},
                    {"us", us(each.total_ps)},
                    {"stranded", each.stranded},
                    {"ranks", std::move(ranks)}});
  }
  return made;
}

void print_what_if(const std::vector<what_if>& all, std::int64_t measured_ps) {
  if (all.empty()) return;
  fmt::print("\n{:>14} {:>9}  what if (measured: {:.1f} us)\n", "us", "of that", us(measured_ps));
  for (const what_if& each : all) {
    const double share =
        measured_ps == 0 ? 0
                         : static_cast<double>(each.total_ps) / static_cast<double>(measured_ps);
    fmt::print("{:>14.1f} {:>8.2f}x  {}{}\n", us(each.total_ps), share,
               each.on.empty() ? "done again as it was measured" : each.on,
               each.stranded == 0
                   ? ""
                   : fmt::format("; {} waits for what is not in the trace", each.stranded));
  }
}

}  // namespace upwash::tools
