// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Signals and those who await them. A signal is a message without bytes; a look at a peer's
// counter takes as long as one.
#include <algorithm>

#include "upwash/schedule/detail/price/event_run.hpp"

namespace upwash::schedule::detail {

event_run::counter& event_run::counter_of(int rank, std::uint32_t which) {
  std::vector<counter>& all = state(rank).counters;
  if (which >= all.size()) all.resize(std::size_t{which} + 1);
  return all[which];
}

void event_run::signal(int rank, step_number n, duration at) {
  const step& what = state(rank).window.at(n).what;
  if (what.peer == own || what.peer == member(rank)) {
    const duration now = spend(rank, at, {});
    post(now, rank, happening::count, what.edge);
    return finish(rank, n, now);
  }
  message m = to_peer(message_kind::signal, rank, what.peer, 0);
  m.edge = what.edge;
  const duration out = spend(rank, at, cost_of(m).send_overhead);
  launch(m, out);
  finish(rank, n, out);
}

void event_run::await(int rank, step_number n, duration at) {
  const step& what = state(rank).window.at(n).what;
  counter& on = counter_of(what.peer == own ? rank : walked(rank, what.peer, false), what.edge);
  if (on.value >= what.value) return see(rank, n, at);
  on.who.push_back({what.value, on.came++, rank, n});
  std::push_heap(on.who.begin(), on.who.end());
}

/// The counter is high enough: whoever looks from afar sees it later.
void event_run::see(int rank, step_number n, duration at) {
  const step& what = state(rank).window.at(n).what;
  if (what.peer == own || what.peer == member(rank)) return finish(rank, n, spend(rank, at, {}));
  std::uint32_t& chain = state(rank).chain;
  chain = std::max(chain, counter_of(walked(rank, what.peer, false), what.edge).chain + 1);
  const duration way = charges_.message(level(rank, what.peer), 0).latency;
  post(at + way, rank, happening::seen, n);
}

void event_run::count_up(int rank, std::uint64_t which, duration at) {
  counter& here = counter_of(rank, static_cast<std::uint32_t>(which));
  ++here.value;
  here.chain = std::max(here.chain, state(rank).chain);
  std::vector<counter::waiting> freed;
  while (!here.who.empty() && here.who.front().value <= here.value) {
    std::pop_heap(here.who.begin(), here.who.end());
    freed.push_back(here.who.back());
    here.who.pop_back();
  }
  for (const counter::waiting& each : freed) see(each.rank, each.step, at);
}

}  // namespace upwash::schedule::detail
