// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The life of an operation: its phases, its steps, its end.
#include "upwash/collective/executor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/reach.hpp"

namespace upwash::collective {
namespace detail {

using schedule::step_kind;

namespace {

bool leaves_early(const operation& op, const team_record& on) noexcept {
  return op.how.exit == schedule::sync_mode::none && &op.on_team == &on;
}

}  // namespace

executor::executor(job& here) : here_(here) {}

void executor::on_team_create(const team& made) {
  if (!installed_ || !all_direct(made)) return;
  record_of(made).shared = std::make_unique<board>(
      made, made == here_.world() ? board::world_scratch_bytes : board::team_scratch_bytes);
}

/// With exit mode none there may be some of which the caller knows nothing any more.
void executor::await_all_of(const team_record& record) {
  struct query {
    const std::vector<operation*>& running;
    const team_record& record;
  } const asked{running_, record};
  const auto over = [](const void* context) {
    const auto& of = *static_cast<const query*>(context);
    return std::none_of(of.running.begin(), of.running.end(),
                        [&of](const operation* each) { return &each->on_team == &of.record; });
  };
  here_.wait(conduit::wait_target::predicate(over, &asked),
             {.operation = "release of a team", .team = record.members.id()});
}

void executor::on_team_free(const team& going) {
  const auto found = teams_.find(going.id());
  if (found == teams_.end()) return;
  await_all_of(*found->second);
  control::barrier_by_messages(going);  // slower members may still ask for counters
  std::erase_if(counts_, [&going](const auto& each) { return each.first.team == going.id(); });
  if (found->second->shared) found->second->shared->release();
  if (last_team_ == found->second.get()) last_team_ = nullptr;
  teams_.erase(found);
}

team_record& executor::find_record(const team& among) {
  auto& record = teams_[among.id()];
  if (!record) record = std::make_unique<team_record>(among);
  last_team_ = record.get();
  return *record;
}

request executor::start(std::unique_ptr<operation> made) {
  operation& op = *made;
  check_shared_scratch(op);
  owned_.push_back(std::move(made));
  return begin(op);
}

/// Before anything is begun: what cannot be had.
void executor::check_shared_scratch(const operation& op) const {
  const schedule::needs& wants = op.main_steps.wants();
  if (wants.shared_bytes == 0 || shares_memory(op.on_team, wants)) return;
  throw error(
      error_kind::argument,
      fmt::format(
          "rank {}: {} by {} needs {} bytes of shared scratch; there are {}: choose "
          "another algorithm",
          here_.rank(), op.how.agreed.operation, op.how.agreed.algorithm, wants.shared_bytes,
          op.on_team.shared ? fmt::format("{} here", op.on_team.shared->half_scratch_bytes())
                            : "none where members do not share memory"));
}

request executor::begin(operation& op) {
  const signature& agreed = op.how.agreed;
  begun_operation begun = begin_operation(here_, {.operation = agreed.operation.data(),
                                                  .bytes = agreed.bytes,
                                                  .team = op.among.id(),
                                                  .number = op.number,
                                                  .counted = observe::series::collectives});
  op.restart(begun.end);
  running_.push_back(&op);
  here_.set_busy(*this, true);
  begin_epoch(op);
  static_cast<void>(guarded(op, [&] {
    introduce(op);
    return 0;
  }));
  op.stirred = true;
  static_cast<void>(advance(op));
  if (op.now_in == phase::over && may_leave(op)) finish(op);
  return std::move(begun.handle);
}

/// Its sends may wait, and progress then meets the operation before it has begun.
void executor::introduce(operation& op) {
  take_early_counts(op);
  answer_questions(op);
  if (here_.options().checked) tell_agreement(op);
  op.now_in = phase::settle;
  if (op.epoch_counts && board::settles(op.epoch) && !op.shares_memory) {
    op.begin(phase::settle,
             schedule::generator(dissemination_barrier(op.among.size(), op.among.rank())));
  }
}

bool executor::shares_memory(const team_record& record, const schedule::needs& wants) {
  return record.shared && wants.counters <= board::counters &&
         wants.shared_bytes <= record.shared->half_scratch_bytes() &&
         ((wants.edges_apart && wants.slots == 0) || wants.counters != 0 ||
          wants.shared_bytes != 0);
}

/// Operations that use the team's board, or counters, are numbered apart.
void executor::begin_epoch(operation& op) {
  const schedule::needs& wants = op.main_steps.wants();
  team_record& record = op.on_team;
  op.shares_memory = shares_memory(record, wants);
  op.epoch_counts = op.shares_memory || wants.counters != 0;
  if (!op.epoch_counts) return;
  op.shared_scratch = record.epochs.next(wants.shared_bytes,
                                         record.shared ? record.shared->half_scratch_bytes() : 0);
  record.epochs.take(op.shared_scratch, wants.shared_bytes);
  op.epoch = op.shared_scratch.epoch;
  record.open.push_back(op.epoch);
}

/// Whether the members have completed all that used what this operation is to use.
bool executor::settled(operation& op) {
  if (!op.epoch_counts) return true;
  team_record& record = op.on_team;
  if (!board::settles(op.epoch)) return board::half_of(op.epoch) <= record.settled_half;
  if (record.open.front() != op.epoch) return false;
  if (op.shares_memory) {
    if (!record.shared->settle(op.epoch, op.settle_round)) return false;
  } else {
    static_cast<void>(pass_through(op));
    if (!op.emptied()) return false;
  }
  end_settling(record, op.epoch);
  return true;
}

void executor::end_settling(team_record& record, std::uint64_t epoch) {
  record.settled_half = board::half_of(epoch);
  if (record.shared) record.shared->clear_counters(epoch);
  for (const std::uint64_t run : record.unsettled) counts_.erase({record.members.id(), run});
  record.unsettled.clear();
}

void executor::next_phase(operation& op) {
  const auto barrier = [&op](phase which) {
    op.begin(which, schedule::generator(dissemination_barrier(op.among.size(), op.among.rank())));
  };
  switch (op.now_in) {
    case phase::settle:
      op.now_in = phase::entry;
      expose_buffers(op);
      if (op.how.rules.entry == schedule::sync_mode::all) return barrier(phase::entry);
      [[fallthrough]];
    case phase::entry: op.begin(phase::main, op.main_steps); return;
    case phase::main:
      op.now_in = phase::exit;
      if (op.how.exit == schedule::sync_mode::all) return barrier(phase::exit);
      [[fallthrough]];
    default: op.now_in = phase::over;
  }
}

/// What a step throws is the caller's to see; the operation is given up.
template <class Act>
int executor::guarded(operation& op, const Act& act) {
  op.advancing = true;
  try {
    const int moved = act();
    op.advancing = false;
    return moved;
  } catch (...) {
    op.advancing = false;
    give_up(op);
    throw;
  }
}

/// Moves on as far as possible.
int executor::advance(operation& op) {
  if (op.advancing) return 0;  // a wait within a step came back here
  return guarded(op, [&] { return advance_phases(op); });
}

/// Told complete, so that nobody waits for it. It stays as it is, because peers may still answer to
/// its slots; but what comes for it no longer finds the caller's memory.
void executor::give_up(operation& op) {
  op.failed = true;
  running_.erase(std::find(running_.begin(), running_.end(), &op));
  const auto is_its = [&op](const auto& each) { return each.second->of == &op; };
  std::erase_if(posted_, is_its);
  std::erase_if(wait_for_place_, is_its);
  if (op.epoch_counts) std::erase(op.on_team.open, op.epoch);
  if (!op.told_early) op.end.complete();
  op.left.complete();
}

int executor::advance_phases(operation& op) {
  int moved = 0;
  op.stirred = false;
  while (op.now_in != phase::over) {
    if (op.now_in == phase::settle) {
      if (!settled(op)) {
        op.stirred = true;
        return moved;
      }
    } else {
      moved += pass_through(op);
      if (!op.emptied()) break;
    }
    next_phase(op);
    ++moved;
  }
  if (!op.told_early && op.how.exit == schedule::sync_mode::none && op.only_receives()) {
    op.told_early = true;
    op.end.complete();
  }
  return moved;
}

/// Tries every open step, in the order of emission: dependencies only point back.
int executor::pass_through(operation& op) {
  int moved = advance_fetches(op);
  for (std::uint64_t i = op.base();;) {
    op.refill();
    i = std::max(i, op.base());
    if (i == op.next()) return moved;
    while ((i = op.take_open(i)) < op.next()) {
      if (try_step(op, i)) ++moved;
      ++i;
    }
  }
}

/// Whether the step came further.
bool executor::try_step(operation& op, std::uint64_t index) {
  slot& s = op.at(index);
  switch (s.what.kind) {
    case step_kind::send: return send(op, s);
    case step_kind::receive: return receive(op, s);
    case step_kind::copy: return copy(op, s);
    case step_kind::reduce: return reduce(op, s);
    case step_kind::stage: return open_stage(op, index);
    case step_kind::collect: return open_collect(op, s);
    case step_kind::close: return close_collect(op, s);
    case step_kind::deliver: return deliver(op, s);
    case step_kind::signal: return signal(op, s);
    case step_kind::await: return await(op, s);
    default: return join_network(op, s);
  }
}

bool executor::open_stage(operation& op, std::uint64_t index) {
  slot& s = op.at(index);
  if (op.grows(s)) {
    op.refill();
    if (op.base() != index) {  // what moves there must not lose its place
      op.wait_for_all_before(s);
      return false;
    }
  }
  op.pass_stage(s);
  op.complete(s);
  return true;
}

int executor::progress() {
  if (!disagreement_.empty()) throw_disagreement();
  if (!misfit_.text.empty() && !awaits_agreement(misfit_.of)) {
    throw error(error_kind::fault, fmt::format("rank {}: {}", here_.rank(), misfit_.text));
  }
  int moved = 0;
  for (std::size_t i = 0; i < running_.size();) {
    operation& op = *running_[i];
    if (op.stirred) moved += advance(op);
    if (op.now_in == phase::over && may_leave(op)) {
      finish(op);
      ++moved;
    } else {
      ++i;
    }
  }
  if (running_.empty()) here_.set_busy(*this, false);
  return moved;
}

/// Exit mode mine or all is also the end of what was started before with exit mode none.
bool executor::may_leave(operation& op) {
  if (op.advancing) return false;
  if (op.how.exit == schedule::sync_mode::none) return true;
  for (const operation* each : running_) {  // in the order of their starts
    if (each == &op) break;
    if (leaves_early(*each, op.on_team)) return false;
  }
  return true;
}

/// Whether what comes next on the team must outlast others that run.
bool executor::awaits_others(const team_record& record) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&record](const operation* each) { return leaves_early(*each, record); });
}

void executor::finish(operation& op) {
  running_.erase(std::find(running_.begin(), running_.end(), &op));
  team_record& record = op.on_team;
  if (op.epoch_counts) {
    record.open.erase(std::find(record.open.begin(), record.open.end(), op.epoch));
    if (!op.shares_memory) keep_counters(op);
  }
  for (const auto& [which, memory] : op.exposures) conceal(here_, memory);
  op.exposures.clear();
  op.peers.clear();
  op.running = false;
  if (!op.told_early) op.end.complete();
  op.left.complete();
  if (op.persists) return;
  const auto mine = std::find_if(owned_.begin(), owned_.end(),
                                 [&op](const auto& each) { return each.get() == &op; });
  owned_.erase(mine);
}

operation* executor::find(const run_key& key) {
  for (operation* each : running_) {
    if (each->among.id() == key.team && each->run() == key.run) return each;
  }
  return nullptr;
}

std::uint64_t executor::begun_on(std::uint64_t team) const {
  const auto record = teams_.find(team);
  return record == teams_.end() ? 0 : record->second->numbers;
}

std::string executor::describe_pending() const {
  std::string text;
  for (const operation* each : running_) {
    text += fmt::format("{}{} #{} on team {:#x} (step {} of at least {})", text.empty() ? "" : ", ",
                        each->how.agreed.operation, each->number, each->among.id(), each->base(),
                        each->next());
  }
  return text;
}

}  // namespace detail

schedule::transfer_rules default_rules(const team& among) {
  schedule::transfer_rules rules;
  rules.eager_bytes = medium_limit(among);
  rules.direct = all_direct(among);
  return rules;
}

request execute(const team& among, const schedule::generator& steps, const binding& buffers,
                const manner& how) {
  auto& service = among.here().service<detail::executor>();
  return service.start(
      std::make_unique<detail::operation>(service.spare_slots(), among, service.record_of(among),
                                          service.next_number(among), steps, buffers, how));
}

void execute_and_wait(const team& among, const schedule::generator& steps, const binding& buffers,
                      const manner& how) {
  execute(among, steps, buffers, how).wait();
}

void install(job& here, const installation& with) {
  here.service<detail::executor>().install(with);
}

}  // namespace upwash::collective
