// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/event_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::schedule::detail {

event_run::event_run(const run_plan& plan, function_ref<generator(int)> schedule_of,
                     const machine& on, const transfer_rules& rules, const price_options& options)
    : rules_(rules),
      options_(options),
      team_(plan, on),
      processors_(events_, plan.walked),
      messages_(plan.walked),
      windows_(plan.walked),
      costs_(on, options, plan.walked),
      ports_(on, plan.walked, plan.alike_on_node),
      rounds_({events_, processors_, messages_, windows_, ports_}, plan.walked, plan.rounds_in_unit,
              options.steps_before_skipping),
      flow_({options, team_, events_, windows_, rounds_}),
      meetings_({events_, messages_, windows_}, plan.walked),
      notices_({team_, events_, messages_, costs_, ports_}),
      shares_cores_(costs_.work().core_sharing(1, {}, plan.ranks) != duration()),
      wires_({team_, events_, processors_, messages_, costs_, ports_, meetings_, notices_},
             shares_cores_),
      edges_({team_, rules, events_, processors_, windows_, messages_, costs_, wires_, meetings_,
              flow_}),
      work_({team_, rules, processors_, windows_, costs_, wires_, flow_}),
      counters_({team_, events_, processors_, windows_, messages_, costs_, wires_, flow_},
                plan.walked),
      network_({on, team_, events_, processors_, windows_, costs_, flow_}) {
  for (int rank = 0; rank < plan.walked; ++rank) {
    add_rank(rank, schedule_of(team_.member(rank)), plan.least_window);
  }
  if (team_.by_class()) {
    for (int rank = 0; rank < plan.walked; ++rank) {
      notices_.announce(rank, schedule_of(team_.member(rank)), facts_of(rank));
    }
  }
  for (int rank = 0; rank < plan.walked; ++rank) flow_.start(rank);
}

facts event_run::facts_of(int rank) const {
  return options_.facts_of ? (*options_.facts_of)(team_.member(rank)) : facts{};
}

void event_run::add_rank(int rank, const generator& steps, std::uint32_t least_window) {
  const facts known = facts_of(rank);
  if (known.slots.size() < steps.wants().slots) {
    throw error(error_kind::argument,
                fmt::format("price: the schedule of rank {} uses {} words that are known only at "
                            "run time; {} were given: give them as price_options::facts_of",
                            team_.member(rank), steps.wants().slots, known.slots.size()));
  }
  windows_.add(steps, known, least_window);
  costs_.expect(rank, steps, known);
}

run_end event_run::run() {
  while (!events_.empty()) {
    if (windows_.steps() > options_.most_steps) return run_end::too_long;
    const event next = events_.take();
    if (next.at > options_.most_time - shared_so_far()) return run_end::too_late;
    handle(next);
  }
  if (windows_.steps() > options_.most_steps) return run_end::too_long;
  return windows_.all_finished() && meetings_.empty() ? run_end::complete : run_end::stuck;
}

/// What ranks that share cores have waited for each other at least: as write_result says at the
/// end.
duration event_run::shared_so_far() const {
  if (options_.most_time == duration::max() || !shares_cores_) return {};
  // Of classes the sum has weights.
  const duration busy = team_.by_class()
                            ? duration()
                            : duration::from_ps(processors_.all_busy().ps() / team_.divisor());
  return costs_.work().core_sharing(messages_.longest_chain(), busy, team_.team());
}

void event_run::handle(const event& e) {
  switch (e.what) {
    case happening::depart: return wires_.depart(messages_under_way::of_subject(e.subject), e.at);
    case happening::arrive: {
      const std::uint64_t which = messages_under_way::of_subject(e.subject);
      if (messages_under_way::is_answer(e.subject)) return wires_.depart(which, e.at);
      return wires_.arrive(which, e.at);
    }
    case happening::count:
      return counters_.count_up(e.rank, static_cast<std::uint32_t>(e.subject), e.at);
    case happening::choose:
      if (const auto next = processors_.choose(e.rank, e.at)) {
        perform(*next);
        processors_.choose_later(e.rank, e.at);
      }
      return;
    default: return needs_processor(e) ? compete(e) : perform(e);
  }
}

bool event_run::needs_processor(const event& e) {
  if (e.what != happening::ready) return true;
  const step& what = windows_.step_at(e.rank, e.subject);
  return what.kind != step_kind::receive || wire_of(what, rules_).asks_first();
}

void event_run::compete(const event& e) {
  if (processors_.takes_at_once(e)) return perform(e);
  processors_.add(e, step_of(e));
}

/// What belongs to none goes with the earliest open.
step_number event_run::step_of(const event& e) {
  switch (e.what) {
    case happening::fetched: {
      const step_number n = messages_[e.subject].receiver;
      return n == no_step ? windows_[e.rank].base() : n;
    }
    case happening::collect:
    case happening::signalled: return windows_[e.rank].base();
    default: return e.subject;
  }
}

void event_run::perform(const event& e) {
  switch (e.what) {
    case happening::ready: return begin(e.rank, e.subject, e.at);
    case happening::take: return edges_.take(e.rank, e.subject, e.at);
    case happening::fetched: return fetched(e.rank, e.subject, e.at);
    case happening::released: return released(e.rank, e.subject, e.at);
    case happening::invited: return edges_.invited(e.rank, e.subject, e.at);
    case happening::collect: return edges_.taken_by_collect(e.rank, e.subject, e.at);
    case happening::seen: return counters_.seen(e.rank, e.subject, e.at);
    case happening::signalled: return counters_.signalled(e.rank, e.subject, e.at);
    case happening::joined: return network_.leave(e.rank, e.subject, e.at);
    default: break;
  }
}

void event_run::begin(int rank, step_number n, duration at) {
  open_step& s = windows_.at(rank, n);
  s.begun = processors_.earliest(rank, at);
  const step& what = s.what;
  if (!team_.can_walk(what)) return;  // stuck, as the plan then is
  switch (what.kind) {
    case step_kind::send: return edges_.send(rank, n, at);
    case step_kind::receive: return edges_.receive(rank, n, at);
    case step_kind::copy:
    case step_kind::reduce: return work_.begin(rank, n, at);
    case step_kind::stage:
    case step_kind::deliver: return flow_.finish(rank, n, at);
    case step_kind::collect:
      return meetings_.collect(rank, what.edge, at), flow_.finish(rank, n, at);
    case step_kind::close: return close(rank, n, at);
    case step_kind::signal: return counters_.signal(rank, n, at);
    case step_kind::await: return counters_.await(rank, n, at);
    default: return network_.join(rank, n, at);
  }
}

void event_run::close(int rank, step_number n, duration at) {
  const step& what = windows_.step_at(rank, n);
  if (what.counted && !what.acknowledged) {
    throw error(error_kind::argument,
                fmt::format("price: rank {}, round {}: it ends when {} messages have come from "
                            "anybody; price the schedule that names their senders",
                            rank, what.round, what.value));
  }
  meetings_.close(rank, what.edge);
  flow_.finish(rank, n, processors_.earliest(rank, at));
}

/// Of an edge, which is acknowledged, or of a copy or reduction.
void event_run::fetched(int rank, std::uint64_t which, duration at) {
  const message reply = messages_.take(which);
  if (reply.sender != no_step) return edges_.fetched(rank, reply, at);
  work_.fetched(rank, reply.receiver, at);
}

void event_run::released(int rank, step_number n, duration at) {
  const bool is_edge = windows_.step_at(rank, n).kind == step_kind::send;
  return is_edge ? edges_.acknowledged(rank, n, at) : work_.stored(rank, n, at);
}

void event_run::write_result(price_result& to) const {
  duration sum;
  for (int rank = 0; rank < team_.count(); ++rank) {
    const rank_price one{windows_[rank].last_done(), processors_.busy(rank)};
    to.completion = std::max(to.completion, one.completion);
    to.processor_most = std::max(to.processor_most, one.processor);
    sum += one.processor * team_.weight(rank);
    if (options_.per_rank) to.ranks.push_back(one);
  }
  to.processor_mean = duration::from_ps(sum.ps() / team_.divisor());
  if (team_.by_class()) to.stands_for = team_.classes();
  to.rounds = windows_.rounds();
  to.edge_sizes = windows_.edge_sizes();
  to.ranks_walked = team_.count();
  to.steps_walked = windows_.steps();
  to.rounds_skipped = windows_[0].skipped();
  const std::uint32_t skipped_chain = to.rounds_skipped == 0 ? 0 : to.rounds;
  const std::uint32_t chain = std::max(skipped_chain, messages_.longest_chain());
  to.core_sharing = costs_.work().core_sharing(chain, to.processor_mean, team_.team());
  to.completion += to.core_sharing;
}

std::string event_run::what_is_stuck() {
  for (int rank = 0; rank < team_.count(); ++rank) {
    rank_window& window = windows_[rank];
    if (window.finished()) continue;
    const step& what = window.at(window.base()).what;
    return fmt::format("step {} of rank {} ({}, edge {}, peer {}, round {}) never comes to its end",
                       window.base(), rank, to_string(what.kind), what.edge, what.peer, what.round);
  }
  return "a message is never received";
}

}  // namespace upwash::schedule::detail
