// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/validate/causality.hpp"

#include <algorithm>

namespace upwash::schedule::detail {
namespace {

void add(causality::knowledge& to, const causality::knowledge& more) {
  if (to.size() < more.size()) to.resize(more.size());
  for (std::size_t w = 0; w < more.size(); ++w) to[w] |= more[w];
}

void set(causality::knowledge& in, std::size_t bit) {
  if (in.size() <= bit / 64) in.resize(bit / 64 + 1);
  in[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

std::pair<int, std::uint32_t> counter_of(int rank, const step& s) {
  return {s.peer == own ? rank : s.peer, s.edge};
}

}  // namespace

causality::causality(const history& of) : history_(of), needed_(of.order.size()) {
  for (const auto& steps : of.steps) {
    place_.emplace_back(steps.size());
    auto& stages = stages_.emplace_back();
    for (std::size_t n = 0; n < steps.size(); ++n) {
      if (steps[n].kind == step_kind::stage) stages.push_back(n);
    }
  }
  for (std::size_t i = 0; i < of.order.size(); ++i) {
    const step_name& is = of.order[i].is;
    place_[static_cast<std::size_t>(is.rank)][is.number] = i;
  }
  find_signals();
  ends_.reserve(of.order.size());
  for (std::size_t i = 0; i < of.order.size(); ++i) {
    const performed& p = of.order[i];
    knowledge end = at_start(p.is);
    // A message says what its sender knew when it sent, not that the sender is done with it.
    for (const step_name& partner : p.partners) add(end, at_start(partner));
    for (const step_name& signal : needed_[i]) add(end, at_start(signal));
    set(end, of.steps.size() + i);
    ends_.push_back(std::move(end));
  }
}

template <class Visit>
void causality::for_each_before(const step_name& of, const Visit& visit) const {
  const auto rank = static_cast<std::size_t>(of.rank);
  for_each_dependency(history_.steps[rank], of.number, visit);
  const std::vector<std::size_t>& stages = stages_[rank];
  const auto next = std::lower_bound(stages.begin(), stages.end(), of.number);
  if (next != stages.begin()) visit(*(next - 1));
}

causality::knowledge causality::at_start(const step_name& of) const {
  knowledge all;
  const auto rank = static_cast<std::size_t>(of.rank);
  set(all, rank);
  for_each_before(of, [&](std::size_t earlier) { add(all, ends_[place_[rank][earlier]]); });
  return all;
}

causality::knowledge causality::at_end(const step_name& of) const {
  return ends_[place_[static_cast<std::size_t>(of.rank)][of.number]];
}

causality::knowledge causality::at_exit(int rank) const {
  knowledge all;
  for (const std::size_t place : place_[static_cast<std::size_t>(rank)]) add(all, ends_[place]);
  return all;
}

void causality::find_signals() {
  std::map<counter, std::vector<step_name>> awaits;
  for (const performed& p : history_.order) {
    const step& s = history_.at(p.is);
    if (s.kind == step_kind::signal) signals_[counter_of(p.is.rank, s)].push_back(p.is);
    if (s.kind == step_kind::await) awaits[counter_of(p.is.rank, s)].push_back(p.is);
  }
  for (const auto& [which, all] : awaits) find_what_awaits_need(which, all);
}

/// An await of all signals needs each of them. One of fewer needs those without which it could
/// never end, in any order of things.
void causality::find_what_awaits_need(const counter& which, const std::vector<step_name>& awaits) {
  const std::vector<step_name>& signals = signals_[which];
  const auto needs_all = [&](const step_name& await) {
    return history_.at(await).value >= signals.size();
  };
  const auto needed_by = [this](const step_name& await) -> std::vector<step_name>& {
    return needed_[place_[static_cast<std::size_t>(await.rank)][await.number]];
  };
  bool all_need_all = true;
  for (const step_name& await : awaits) {
    if (needs_all(await)) {
      needed_by(await) = signals;
    } else {
      all_need_all = all_need_all && history_.at(await).value == 0;
    }
  }
  if (all_need_all) return;
  for (const step_name& signal : signals) {
    const auto possible = possible_without(signal);
    for (const step_name& await : awaits) {
      if (needs_all(await) || possible[static_cast<std::size_t>(await.rank)][await.number]) {
        continue;
      }
      needed_by(await).push_back(signal);
    }
  }
}

/// The steps, by rank and number, that can be done if one signal never is. More steps done never
/// hinder others, so one order of trying finds them all.
std::vector<std::vector<bool>> causality::possible_without(const step_name& signal) const {
  std::vector<std::vector<bool>> done;
  for (const auto& steps : history_.steps) done.emplace_back(steps.size());
  std::map<counter, std::uint64_t> counters;
  const auto started = [&](const step_name& is) {
    bool all = !(is.rank == signal.rank && is.number == signal.number);
    const auto r = static_cast<std::size_t>(is.rank);
    for_each_before(is, [&](std::size_t earlier) { all = all && done[r][earlier]; });
    return all;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (const performed& p : history_.order) {
      const step& s = history_.at(p.is);
      auto done_here = done[static_cast<std::size_t>(p.is.rank)].begin() +
                       static_cast<std::ptrdiff_t>(p.is.number);
      if (*done_here || !started(p.is)) continue;
      if (!std::all_of(p.partners.begin(), p.partners.end(), started)) continue;
      if (s.kind == step_kind::await && counters[counter_of(p.is.rank, s)] < s.value) continue;
      if (s.kind == step_kind::signal) ++counters[counter_of(p.is.rank, s)];
      *done_here = true;
      moved = true;
    }
  }
  return done;
}

}  // namespace upwash::schedule::detail
