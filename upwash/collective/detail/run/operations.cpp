// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {
namespace {

bool leaves_early(const operation& op, const team_record& on) noexcept {
  return op.how.exit == schedule::sync_mode::none && &op.on_team == &on;
}

}  // namespace

request operations::start(std::unique_ptr<operation_block> made) {
  operation& op = *made->is;
  check_shared_scratch(op);
  owned_.push_back(std::move(made));
  return begin(op);
}

request operations::restart(operation& kept) {
  await_last_start(kept);
  return begin(kept);
}

void operations::await_last_start(operation& kept) {
  if (kept.failed) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a persistent {} is started again, but its last start failed; "
                            "make a new one on all members",
                            here_.rank(), kept.how.agreed.operation));
  }
  if (kept.told_early && kept.running) {  // of which the caller knows nothing any more
    const auto over = [](const void* op) { return !static_cast<const operation*>(op)->running; };
    host(here_).wait(conduit::wait_target::predicate(over, &kept), {.operation = "persistent"});
  }
  if (kept.running) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a persistent {} is started while its last start is under "
                            "way; wait for its request first",
                            here_.rank(), kept.how.agreed.operation));
  }
}

void operations::retire(std::unique_ptr<operation_block> kept) {
  operation& op = *kept->is;
  op.persists = false;
  owned_.push_back(std::move(kept));
  if (op.failed) return;
  begun_operation last = begin_operation(here_, {.operation = "persistent"});
  op.left = last.end;
}  // the request waits for it, whatever others throw meanwhile

/// Before anything is begun: what cannot be had.
void operations::check_shared_scratch(const operation& op) const {
  const schedule::needs& wants = op.main_steps.wants();
  if (wants.shared_bytes == 0 || op.on_team.shares_memory(wants)) return;
  throw error(
      error_kind::argument,
      fmt::format(
          "rank {}: {} by {} needs {} bytes of shared scratch; there are {}: choose "
          "another algorithm",
          here_.rank(), op.how.agreed.operation, op.how.agreed.algorithm, wants.shared_bytes,
          op.on_team.shared ? fmt::format("{} here", op.on_team.shared->half_scratch_bytes())
                            : "none where members do not share memory"));
}

request operations::begin(operation& op) {
  const signature& agreed = op.how.agreed;
  begun_operation begun = begin_operation(here_, {.operation = agreed.operation.data(),
                                                  .bytes = agreed.bytes,
                                                  .team = op.among.id(),
                                                  .number = op.number,
                                                  .counted = observe::series::collectives,
                                                  .site = agreed.site});
  op.restart(begun.end);
  op.trace = trace_;
  if (trace_ != nullptr) op.begun = here_.now();
  running_.add(op);
  host(here_).set_busy(uses_.service, true);
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
void operations::introduce(operation& op) {
  uses_.steps.counters().take_early(op);
  uses_.steps.memory().answer_questions(op);
  if (here_.options().checked) uses_.agreements.tell(op);
  op.now_in = phase::settle;
  if (op.epoch_counts && op.on_team.epochs.settles(op.epoch) && !op.settles_by_words()) {
    op.begin(phase::settle,
             schedule::generator(dissemination_barrier(op.among.size(), op.among.rank())));
  }
}

/// Operations that use the team's board, or counters, are numbered apart.
void operations::begin_epoch(operation& op) {
  const schedule::needs& wants = op.main_steps.wants();
  team_record& record = op.on_team;
  op.shares_memory = record.shares_memory(wants);
  if (op.shares_memory) host(op.among.here()).watch_words(true);
  op.epoch_counts = op.shares_memory || wants.counters != 0;
  if (!op.epoch_counts) return;
  op.shared_scratch = record.epochs.next(wants.shared_bytes, board::note_for(wants),
                                         record.shared ? record.shared->half_scratch_bytes() : 0);
  record.epochs.take(op.shared_scratch, wants.shared_bytes);
  op.epoch = op.shared_scratch.epoch;
  record.open.push_back(op.epoch);
}

/// Whether the members have completed all that used what this operation is to use.
bool operations::settled(operation& op) {
  if (!op.epoch_counts) return true;
  team_record& record = op.on_team;
  if (!record.epochs.settles(op.epoch)) {
    return record.epochs.half_of(op.epoch) <= record.settled_half;
  }
  if (record.open.front() != op.epoch) return false;
  if (op.settles_by_words()) {
    if (!record.shared->settle(op.epoch, op.settle_round)) return false;
  } else {
    static_cast<void>(uses_.steps.pass_through(op));
    if (!op.emptied()) return false;
  }
  end_settling(record, op.epoch);
  return true;
}

void operations::end_settling(team_record& record, std::uint64_t epoch) {
  record.settled_half = record.epochs.half_of(epoch);
  if (record.shared) record.shared->clear_counters(epoch);
  uses_.steps.counters().forget(record.members.id(), record.unsettled);
  record.unsettled.clear();
}

/// Whether the progress thread has it now, and the rank need not begin it.
bool operations::next_phase(operation& op) {
  const auto barrier = [&op](phase which) {
    op.begin(which, schedule::generator(dissemination_barrier(op.among.size(), op.among.rank())));
    return false;
  };
  switch (op.now_in) {
    case phase::settle:
      op.now_in = phase::entry;
      uses_.steps.memory().expose_buffers(op);
      if (op.how.rules.entry == schedule::sync_mode::all) return barrier(phase::entry);
      [[fallthrough]];
    case phase::entry:
      if (op.goes_in_turn()) return op.begin_in_turn(here_);
      op.begin(phase::main, op.main_steps);
      return false;
    case phase::main:
      op.now_in = phase::exit;
      if (op.how.exit == schedule::sync_mode::all) return barrier(phase::exit);
      [[fallthrough]];
    case phase::exit:
    case phase::over: op.now_in = phase::over;
  }
  return false;
}

/// What a step throws is the caller's to see; the operation is given up.
template <class Act>
int operations::guarded(operation& op, const Act& act) {
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
int operations::advance(operation& op) {
  if (op.advancing) return 0;  // a wait within a step came back here
  return guarded(op, [&] { return advance_phases(op); });
}

/// Told complete, so that nobody waits for it. It stays as it is, because peers may still answer to
/// its slots; but what comes for it no longer finds the caller's memory.
void operations::give_up(operation& op) {
  op.failed = true;
  op.in_turn.end();
  running_.remove(op);
  if (op.shares_memory) host(here_).watch_words(false);
  uses_.steps.forget(op);
  if (op.epoch_counts) std::erase(op.on_team.open, op.epoch);
  if (!op.told_early) op.end.complete();
  op.left.complete();
}

int operations::advance_phases(operation& op) {
  int moved = 0;
  op.stirred = false;
  while (op.now_in != phase::over) {
    if (op.now_in == phase::settle) {
      if (!settled(op)) {
        op.stirred = true;
        return moved;
      }
    } else {
      const bool in_turn = op.now_in == phase::main && op.goes_in_turn();
      moved += in_turn ? op.go_on_in_turn() : uses_.steps.pass_through(op);
      if (!op.emptied()) break;
    }
    ++moved;
    if (next_phase(op)) {
      op.stirred = true;
      return moved;
    }
  }
  if (!op.told_early && op.how.exit == schedule::sync_mode::none && op.only_receives()) {
    op.told_early = true;
    op.end.complete();
  }
  return moved;
}

int operations::progress() {
  int moved = 0;
  for (std::size_t i = 0; i < running_.size();) {
    operation& op = running_.at(i);
    if (op.stirred) moved += advance(op);
    if (op.now_in == phase::over && may_leave(op)) {
      finish(op);
      ++moved;
    } else {
      ++i;
    }
  }
  if (running_.empty()) host(here_).set_busy(uses_.service, false);
  return moved;
}

/// Exit mode mine or all is also the end of what was started before with exit mode none.
bool operations::may_leave(const operation& op) const {
  if (op.advancing) return false;
  if (op.how.exit == schedule::sync_mode::none) return true;
  for (const operation* each : running_) {  // in the order of their starts
    if (each == &op) break;
    if (leaves_early(*each, op.on_team)) return false;
  }
  return true;
}

bool operations::must_outlast(const team_record& record) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&record](const operation* each) { return leaves_early(*each, record); });
}

bool operations::any_on(const team_record& record) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&](const operation* each) { return &each->on_team == &record; });
}

void operations::await_all_on(const team_record& record) {
  struct query {
    const operations& all;
    const team_record& record;
  } const asked{*this, record};
  const auto over = [](const void* context) {
    const auto& of = *static_cast<const query*>(context);
    return !of.all.any_on(of.record);
  };
  host(here_).wait(conduit::wait_target::predicate(over, &asked),
                   {.operation = "release of a team", .team = record.members.id()});
}

void operations::finish(operation& op) {
  op.in_turn.end();
  running_.remove(op);
  if (trace_ != nullptr) write_down(*trace_, op.in_trace(), op.begun, here_.now());
  team_record& record = op.on_team;
  if (op.epoch_counts) {
    record.open.erase(std::find(record.open.begin(), record.open.end(), op.epoch));
    if (!op.shares_memory) uses_.steps.counters().keep(op);
  }
  if (op.shares_memory) host(here_).watch_words(false);
  uses_.steps.memory().conceal_buffers(op);
  op.running = false;
  if (!op.told_early) op.end.complete();
  op.left.complete();
  if (!op.persists) give_back(op);
}

void operations::give_back(const operation& op) {
  const auto mine = std::find_if(owned_.begin(), owned_.end(),
                                 [&op](const auto& each) { return &*each->is == &op; });
  std::unique_ptr<operation_block> over = std::move(*mine);
  owned_.erase(mine);
  uses_.store.give_back(std::move(over));
}

}  // namespace upwash::collective::detail
