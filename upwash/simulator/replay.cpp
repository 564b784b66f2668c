// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/simulator/detail/replay_run.hpp"

namespace upwash::simulator {
namespace detail {

replay_run::replay_run(int ranks, function_ref<schedule::generator(int)> schedule_of,
                       const machine& on, const schedule::transfer_rules& rules,
                       const replay_options& options)
    : rules_(rules),
      options_(options),
      ranks_per_node_(on.ranks_in(level_kind::node)),
      engine_(2 * ranks + 1),
      network_(on, ranks) {
  check(options.daemons);
  for (int rank = 0; rank < ranks; ++rank) {
    const schedule::facts known = options.facts_of ? (*options.facts_of)(rank) : schedule::facts{};
    ranks_.push_back(
        {schedule_of(rank), known, {}, 0, false, false, false, {}, {}, {}, {}, {}, {}});
  }
}

std::vector<replayed_rank> replay_run::run() {
  const int ranks = static_cast<int>(ranks_.size());
  for (int rank = 0; rank < ranks; ++rank) refill(rank);
  run_events();
  std::vector<replayed_rank> results;
  for (int rank = 0; rank < ranks; ++rank) {
    replay_rank& r = at(rank);
    if (!r.ended || !r.open.empty()) {
      throw error(error_kind::fault,
                  fmt::format("replay: step {} of rank {} never comes to its end", r.base, rank));
    }
    results.push_back(r.result);
  }
  return results;
}

/// The carrier runs up to each event before it happens, so both have one time.
void replay_run::run_events() {
  if (options_.through == nullptr) {
    while (engine_.step()) {
    }
    return;
  }
  const auto arrived = [&](std::uint64_t id, duration at) {
    const parcel p = carried_[id];
    free_carried_.push_back(id);
    happens_at(at, {happening::type::complete, p.to, p, {}});
  };
  while (options_.through->run(engine_.next_time(), arrived) || engine_.step()) {
  }
}

/// Its number while the carrier has it.
std::uint64_t replay_run::carry(const parcel& p) {
  if (free_carried_.empty()) {
    carried_.push_back(p);
    return carried_.size() - 1;
  }
  const std::uint64_t id = free_carried_.back();
  free_carried_.pop_back();
  carried_[id] = p;
  return id;
}

/// A message leaves its processor for the carrier.
void replay_run::hand_over(const parcel& p) {
  options_.through->send(engine_.now(), p.from, p.to, p.bytes, carry(p));
}

void replay_run::refill(int rank) {
  replay_rank& r = at(rank);
  while (!r.open.empty() && r.open.front().done) {
    r.open.pop_front();
    ++r.base;
  }
  const std::size_t window = std::max(r.steps.window() + 1, options_.least_window);
  while (!r.ended && !r.at_stage && r.open.size() < window) {
    open_step fresh;
    if (!r.steps.next(fresh.what, r.known)) {
      r.ended = true;
    } else {
      r.at_stage = fresh.what.kind == schedule::step_kind::stage;
      r.open.push_back(fresh);
    }
  }
  look(rank);
}

bool replay_run::ready(replay_rank& r, std::int64_t n) const {
  const schedule::step& what = r.at(n).what;
  if (what.after_all && n != r.base) return false;
  return std::all_of(what.after.begin(), what.after.end(), [&](std::uint32_t distance) {
    return distance == 0 || n - distance < r.base || r.at(n - distance).done;
  });
}

/// Finds steps that may begin now.
void replay_run::look(int rank) {
  replay_rank& r = at(rank);
  for (std::int64_t n = r.base; n < r.next(); ++n) {
    if (r.at(n).begun || !ready(r, n)) continue;
    r.at(n).begun = true;
    const schedule::step_kind kind = r.at(n).what.kind;
    const bool invites =
        kind == schedule::step_kind::receive &&
        lower(outgoing(rank, n).about, r.at(n).what.placed, r.at(n).what.acknowledged, rules_)
            .asks_first();
    if (kind == schedule::step_kind::receive && !invites) {
      post(rank, n);
    } else {
      possible(rank, job::begin, n);
    }
  }
}

void replay_run::possible(int rank, job what, std::int64_t step, const parcel& with) {
  replay_rank& r = at(rank);
  r.tasks.emplace(task{step, what, orders_++, with}, engine_.now());
  // What becomes possible at the same time competes: the processor chooses once all has happened.
  if (!r.busy) {
    r.busy = true;
    after({}, {happening::type::chosen, rank, {}, {}});
  }
}

void replay_run::start_next(int rank) {
  replay_rank& r = at(rank);
  r.busy = !r.tasks.empty();
  if (!r.busy) return;
  const task next = r.tasks.begin()->first;
  r.tasks.erase(r.tasks.begin());
  const duration cost = cost_of(rank, next);
  r.result.processor += cost;
  happens_at(options_.daemons.done(rank / ranks_per_node_, engine_.now(), cost),
             {happening::type::finished, rank, {}, next});
}

void replay_run::done(int rank, std::int64_t n) {
  replay_rank& r = at(rank);
  open_step& s = r.at(n);
  s.done = true;
  if (s.what.kind == schedule::step_kind::stage) r.at_stage = false;
  r.result.completion = engine_.now();
  refill(rank);
}

/// Among what happens to a rank at the same time: what leaves goes first, then what comes, of each
/// that whose other end is nearest upwards; a processor chooses last.
int replay_run::turn_of(const happening& what) const {
  const int ranks = static_cast<int>(ranks_.size());
  const auto up = [&](int other) { return (other - what.rank + ranks) % ranks; };
  switch (what.what) {
    case happening::type::leaves: return up(what.with.to);
    case happening::type::reaches:
    case happening::type::complete: return ranks + up(what.with.from);
    case happening::type::chosen: return 2 * ranks;
    default: return ranks;
  }
}

void replay_run::happens_at(duration when, const happening& what) {
  std::uint64_t which = happenings_.size();
  if (free_.empty()) {
    happenings_.push_back(what);
  } else {
    which = free_.back();
    free_.pop_back();
    happenings_[which] = what;
  }
  engine_.schedule(when, what.rank, turn_of(what), {&replay_run::happens, this, which});
}

void replay_run::happens(void* self, std::uint64_t which) {
  auto& here = *static_cast<replay_run*>(self);
  const happening what = here.happenings_[which];
  here.free_.push_back(which);
  here.handle(what);
}

void replay_run::handle(const happening& what) {
  const parcel& p = what.with;
  const std::size_t level = network_.level(p.from, p.to);
  const duration now = engine_.now();
  switch (what.what) {
    case happening::type::chosen: return start_next(what.rank);
    case happening::type::later: return possible(what.rank, what.next.what, what.next.step);
    case happening::type::finished:
      effect(what.rank, what.next);
      return after({}, {happening::type::chosen, what.rank, {}, {}});
    case happening::type::leaves: {
      if (options_.through != nullptr && options_.through->carries(p.from, p.to)) {
        return hand_over(p);
      }
      const duration head = network_.depart(level, p.from, now, network_.cost(level, p.bytes));
      return after(head - now, {happening::type::reaches, p.to, p, {}});
    }
    case happening::type::reaches: {
      const duration last = network_.arrive(level, p.to, now, network_.cost(level, p.bytes));
      return after(last - now, {happening::type::complete, p.to, p, {}});
    }
    case happening::type::complete: return came(p);
  }
}

}  // namespace detail

std::vector<replayed_rank> replay(int ranks, function_ref<schedule::generator(int)> schedule_of,
                                  const machine& on, const schedule::transfer_rules& rules,
                                  const replay_options& options) {
  return detail::replay_run(ranks, schedule_of, on, rules, options).run();
}

}  // namespace upwash::simulator
