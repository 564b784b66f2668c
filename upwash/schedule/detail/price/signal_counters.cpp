// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/signal_counters.hpp"

#include <algorithm>

namespace upwash::schedule::detail {

signal_counters::counter& signal_counters::counter_of(int rank, std::uint32_t which) {
  std::vector<counter>& here = all_[static_cast<std::size_t>(rank)];
  if (which >= here.size()) here.resize(std::size_t{which} + 1);
  return here[which];
}

void signal_counters::signal(int rank, step_number n, duration at) {
  const step& what = uses_.windows.step_at(rank, n);
  if (uses_.team.is_itself(rank, what.peer)) {
    const duration now = uses_.at_work.earliest(rank, at);
    uses_.events.post(now, rank, happening::count, what.edge);
    return uses_.flow.finish(rank, n, now);
  }
  message m = uses_.team.message_to(what.peer, message_kind::signal, rank, 0);
  m.edge = what.edge;
  const duration out = uses_.at_work.spend(rank, at, uses_.costs.of(m).send_overhead);
  uses_.out.launch(m, out);
  uses_.flow.finish(rank, n, out);
}

void signal_counters::signalled(int rank, std::uint64_t which, duration at) {
  const message came = uses_.messages.take(which);
  const duration heard = uses_.costs.of(came).receive_overhead;
  uses_.events.post(uses_.at_work.spend(rank, at, heard), rank, happening::count, came.edge);
}

void signal_counters::await(int rank, step_number n, duration at) {
  const step& what = uses_.windows.step_at(rank, n);
  const int owner = what.peer == own ? rank : uses_.team.standing_for(rank, what.peer, false);
  counter& on = counter_of(owner, what.edge);
  if (on.value >= what.value) return see(rank, n, at);
  on.who.push_back({what.value, on.came++, rank, n});
  std::push_heap(on.who.begin(), on.who.end());
}

/// The counter is high enough: whoever looks from afar sees it later.
void signal_counters::see(int rank, step_number n, duration at) {
  const step& what = uses_.windows.step_at(rank, n);
  if (uses_.team.is_itself(rank, what.peer)) {
    return uses_.flow.finish(rank, n, uses_.at_work.earliest(rank, at));
  }
  const counter& looked_at = counter_of(uses_.team.standing_for(rank, what.peer, false), what.edge);
  uses_.messages.lengthen_chain(rank, looked_at.chain + 1);
  const duration way = uses_.costs.note(uses_.team.level(rank, what.peer)).latency;
  uses_.events.post(at + way, rank, happening::seen, n);
}

void signal_counters::seen(int rank, step_number n, duration at) {
  const step& what = uses_.windows.step_at(rank, n);
  const model::message_cost& look = uses_.costs.note(uses_.team.level(rank, what.peer));
  const duration busy = look.send_overhead + look.receive_overhead;
  uses_.flow.finish(rank, n, uses_.at_work.spend(rank, at, busy));
}

void signal_counters::count_up(int rank, std::uint32_t which, duration at) {
  counter& here = counter_of(rank, which);
  ++here.value;
  here.chain = std::max(here.chain, uses_.messages.chain(rank));
  std::vector<counter::waiting> freed;
  while (!here.who.empty() && here.who.front().value <= here.value) {
    std::pop_heap(here.who.begin(), here.who.end());
    freed.push_back(here.who.back());
    here.who.pop_back();
  }
  for (const counter::waiting& each : freed) see(each.rank, each.step, at);
}

}  // namespace upwash::schedule::detail
