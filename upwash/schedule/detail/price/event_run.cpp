// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/event_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::schedule::detail {

event_run::event_run(const run_plan& plan, function_ref<generator(int)> schedule_of,
                     const machine& on, const transfer_rules& rules, const price_options& options)
    : plan_(plan),
      rules_(rules),
      on_(on),
      options_(options),
      charges_(on, options),
      ports_(on, plan.walked, plan.alike_on_node) {
  if (options.from_nic_memory) nic_charges_.emplace(nic_.emplace(sending_from_nic(on)), options);
  ranks_.reserve(static_cast<std::size_t>(plan.walked));
  for (int rank = 0; rank < plan.walked; ++rank) {
    const generator steps = schedule_of(member(rank));
    const facts known = options.facts_of ? (*options.facts_of)(member(rank)) : facts{};
    if (known.slots.size() < steps.wants().slots) {
      throw error(error_kind::argument,
                  fmt::format("price: the schedule of rank {} uses {} words that are known only at "
                              "run time; {} were given: give them as price_options::facts_of",
                              member(rank), steps.wants().slots, known.slots.size()));
    }
    ranks_.push_back(
        {rank_window(steps, known, plan.least_window), {}, {}, {}, {}, {}, {}, {}, {}});
    if (options.from_nic_memory) ranks_.back().nic.expect(steps, known);
  }
  if (by_class()) {
    for (int rank = 0; rank < plan.walked; ++rank) {
      const facts known = options.facts_of ? (*options.facts_of)(member(rank)) : facts{};
      announce(rank, schedule_of(member(rank)), known);
    }
  }
  for (int rank = 0; rank < plan.walked; ++rank) refill(rank);
}

void event_run::post(duration at, int rank, happening what, std::uint64_t subject) {
  events_.push({at, rank, what, subject});
}

run_end event_run::run() {
  while (!events_.empty()) {
    if (steps_ > options_.most_steps) return run_end::too_long;
    const event next = events_.pop();
    now_ = next.at;
    if (now_ > options_.most_time) return run_end::too_late;
    handle(next);
  }
  if (steps_ > options_.most_steps) return run_end::too_long;
  const bool all = std::all_of(ranks_.begin(), ranks_.end(),
                               [](const rank_state& r) { return r.window.finished(); });
  return all && meetings_.empty() ? run_end::complete : run_end::stuck;
}

void event_run::handle(const event& e) {
  switch (e.what) {
    case happening::depart: return depart(message_of(e), e.at);
    case happening::arrive:
      if ((e.subject & answer_bit) != 0) return depart(message_of(e), e.at);
      return arrive(message_of(e), e.at);
    case happening::count: return count_up(e.rank, e.subject, e.at);
    case happening::choose: return choose(e.rank, e.at);
    default: return needs_processor(e) ? compete(e) : perform(e);
  }
}

bool event_run::needs_processor(const event& e) {
  if (e.what != happening::ready) return true;
  const step& what = state(e.rank).window.at(e.subject).what;
  return what.kind != step_kind::receive || wire_of(what).asks_first();
}

step_number event_run::step_of(const event& e) {
  switch (e.what) {
    case happening::fetched: {
      const step_number n = messages_[e.subject].receiver;
      return n == no_step ? state(e.rank).window.base() : n;
    }
    case happening::collect:
    case happening::signalled: return state(e.rank).window.base();
    default: return e.subject;
  }
}

/// What becomes possible at the same time competes: a free processor chooses once all has happened.
void event_run::compete(const event& e) {
  rank_state& r = state(e.rank);
  const event* const next = events_.next_of_same_time();
  const bool alone = next == nullptr || next->rank != e.rank;
  if (alone && r.tasks.empty() && r.processor_free <= e.at) return perform(e);
  r.tasks.push_back({step_of(e), tasks_++, e.what, e.subject});
  std::push_heap(r.tasks.begin(), r.tasks.end());
  choose_later(e.rank, e.at);
}

void event_run::choose_later(int rank, duration at) {
  rank_state& r = state(rank);
  if (r.chooses || r.tasks.empty()) return;
  r.chooses = true;
  post(std::max(at, r.processor_free), rank, happening::choose, 0);
}

void event_run::choose(int rank, duration at) {
  rank_state& r = state(rank);
  r.chooses = false;
  if (r.processor_free > at) return choose_later(rank, at);
  std::pop_heap(r.tasks.begin(), r.tasks.end());
  const task next = r.tasks.back();
  r.tasks.pop_back();
  perform({at, rank, next.what, next.subject});
  choose_later(rank, at);
}

void event_run::perform(const event& e) {
  const auto heard = [&](const step& of) {
    return charges_.message(level(e.rank, of.peer), 0).receive_overhead;
  };
  switch (e.what) {
    case happening::ready: return begin(e.rank, e.subject, e.at);
    case happening::take: return take(e.rank, e.subject, e.at);
    case happening::fetched: return fetched(e.rank, e.subject, e.at);
    case happening::released: {
      const step& what = state(e.rank).window.at(e.subject).what;
      const duration cost = what.kind == step_kind::send ? heard(what) : duration();
      return finish(e.rank, e.subject, spend(e.rank, e.at, cost));
    }
    case happening::invited: {
      const step& what = state(e.rank).window.at(e.subject).what;
      return put_on_wire(e.rank, e.subject, spend(e.rank, e.at, heard(what)));
    }
    case happening::collect: return taken_by_collect(e.rank, e.subject, e.at);
    case happening::seen: {
      const step& what = state(e.rank).window.at(e.subject).what;
      const model::message_cost look = charges_.message(level(e.rank, what.peer), 0);
      return finish(e.rank, e.subject,
                    spend(e.rank, e.at, look.send_overhead + look.receive_overhead));
    }
    case happening::signalled: {
      const message came = drop(e.subject);
      return post(spend(e.rank, e.at, cost_of(came).receive_overhead), e.rank, happening::count,
                  came.edge);
    }
    case happening::joined:
      return finish(e.rank, e.subject, spend(e.rank, e.at, overheads_far_away().receive_overhead));
    default: break;
  }
}

/// Who stands for a peer: the walked rank at the same distance round the team. To whom half the
/// team away is ahead (`sends`), that one is behind.
int event_run::walked(int rank, int peer, bool sends) const noexcept {
  if (by_class()) {
    return static_cast<int>(plan_.classes->of_rank[static_cast<std::size_t>(peer)]);
  }
  if (plan_.walked == plan_.ranks) return peer;
  if (plan_.walked == 1) return 0;
  std::int64_t distance = std::int64_t{peer} - rank;
  const std::int64_t team = plan_.ranks;
  const std::int64_t tie = sends ? 0 : 1;
  if (2 * distance + tie > team) distance -= team;
  if (2 * distance - 1 + tie < -team) distance += team;
  const std::int64_t stands = (rank + distance) % plan_.walked;
  return static_cast<int>(stands < 0 ? stands + plan_.walked : stands);
}

/// Work that begins at `at`, or once the processor is free.
duration event_run::spend(int rank, duration at, duration cost) {
  rank_state& r = state(rank);
  if (cost == duration()) return std::max(at, r.processor_free);
  r.processor_free = std::max(at, r.processor_free) + cost;
  r.processor_busy += cost;
  return r.processor_free;
}

void event_run::begin(int rank, step_number n, duration at) {
  rank_state& r = state(rank);
  open_step& s = r.window.at(n);
  s.begun = std::max(at, r.processor_free);
  const step& what = s.what;
  if (by_class() && !can_be_walked_by_class(what)) return;  // stuck, as the plan then is
  switch (what.kind) {
    case step_kind::send: return send(rank, n, at);
    case step_kind::receive: return receive(rank, n, at);
    case step_kind::copy:
    case step_kind::reduce: return work(rank, n, at);
    case step_kind::stage:
    case step_kind::deliver: return finish(rank, n, at);
    case step_kind::collect: return collect(rank, what.edge, at), finish(rank, n, at);
    case step_kind::close:
      if (what.counted && !what.acknowledged) {
        throw error(error_kind::argument,
                    fmt::format("price: rank {}, round {}: it ends when {} messages have come from "
                                "anybody; price the schedule that names their senders",
                                rank, what.round, what.value));
      }
      std::erase(r.collects, what.edge);
      return finish(rank, n, spend(rank, at, {}));
    case step_kind::signal: return signal(rank, n, at);
    case step_kind::await: return await(rank, n, at);
    default: return join(rank, n, at);
  }
}

/// A copy or reduction. Without direct access a peer's operand is fetched first, a peer's result
/// is put.
void event_run::work(int rank, step_number n, duration at) {
  const step& what = state(rank).window.at(n).what;
  const bool copies = what.kind == step_kind::copy;
  const auto remote = [&](const piece& p) {
    return p.of != buffer::none && p.owner != own && p.owner != member(rank) && !rules_.direct;
  };
  if (remote(what.left) || remote(what.right)) {
    const piece& from = remote(what.left) ? what.left : what.right;
    message request = to_peer(message_kind::request, rank, from.owner, 0);
    request.asked = from.bytes;
    request.receiver = n;
    return ask(request, at);
  }
  if (remote(what.into)) {
    message out = to_peer(message_kind::stored, rank, what.into.owner, what.into.bytes);
    out.sender = n;
    const duration combining = copies ? duration() : charges_.reduce(what.into.bytes);
    return launch(out, spend(rank, at, combining + cost_of(out).send_overhead));
  }
  const duration cost = copies ? charges_.copy(what.into.bytes) : charges_.reduce(what.into.bytes);
  if (copies && options_.charge_combining) state(rank).packed.note(what.into);
  finish(rank, n, spend(rank, at, cost));
}

void event_run::finish(int rank, step_number n, duration at) {
  rank_state& r = state(rank);
  const open_step& s = r.window.at(n);
  const bool ends_unit = s.ends_unit;
  const std::uint32_t phase = s.phase;
  if (options_.trace) (*options_.trace)({member(rank), n, std::min(s.begun, at), at}, s.what);
  r.window.finish(n, at, [&](step_number freed) {
    post(r.window.at(freed).ready, rank, happening::ready, freed);
  });
  refill(rank);
  if (ends_unit) end_of_unit(rank, phase, at);
}

void event_run::refill(int rank) {
  rank_state& r = state(rank);
  for (step_number n = 0; (n = r.window.emit(plan_.rounds_in_unit)) != no_step;) {
    if (const auto ended = r.window.ended_unit()) end_of_unit(rank, r.window.phase(), *ended);
    const open_step& s = r.window.at(n);
    if (++steps_ > options_.most_steps) return;
    rounds_ = std::max(rounds_, s.what.round + 1);
    if (s.what.kind == step_kind::send) note_size(s.what);
    if (s.waits == 0) post(s.ready, rank, happening::ready, n);
  }
}

void event_run::write_result(price_result& to) const {
  duration sum;
  for (const rank_state& r : ranks_) {
    const rank_price one{r.window.last_done(), r.processor_busy};
    to.completion = std::max(to.completion, one.completion);
    to.processor_most = std::max(to.processor_most, one.processor);
    const std::size_t i = static_cast<std::size_t>(&r - ranks_.data());
    sum += one.processor * (by_class() ? plan_.classes->members[i] : 1);
    if (options_.per_rank) to.ranks.push_back(one);
  }
  to.processor_mean = duration::from_ps(sum.ps() / (by_class() ? plan_.ranks : plan_.walked));
  if (by_class()) to.stands_for = plan_.classes->of_rank;
  to.rounds = rounds_;
  to.edge_sizes = edge_sizes_;
  to.ranks_walked = plan_.walked;
  to.steps_walked = steps_;
  to.rounds_skipped = ranks_.front().window.skipped();
  std::uint32_t chain = to.rounds_skipped == 0 ? 0 : rounds_;
  for (const rank_state& r : ranks_) chain = std::max(chain, r.chain);
  to.core_sharing = charges_.core_sharing(chain, to.processor_mean, plan_.ranks);
  to.completion += to.core_sharing;
}

std::string event_run::what_is_stuck() {
  for (int rank = 0; rank < plan_.walked; ++rank) {
    rank_window& window = state(rank).window;
    if (window.finished()) continue;
    const step& what = window.at(window.base()).what;
    return fmt::format("step {} of rank {} ({}, edge {}, peer {}, round {}) never comes to its end",
                       window.base(), rank, to_string(what.kind), what.edge, what.peer, what.round);
  }
  return "a message is never received";
}

}  // namespace upwash::schedule::detail
