// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/conduit/standing.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::conduit::sim {

scheduler::scheduler(int ranks, std::size_t stack_bytes)
    : events_(ranks),
      ranks_(static_cast<std::size_t>(ranks)),
      stacks_(static_cast<std::size_t>(ranks), stack_bytes) {}

scheduler::~scheduler() = default;

void scheduler::disturb(const simulator::noise& daemons, int ranks_per_node) {
  simulator::check(daemons);
  daemons_ = daemons;
  ranks_per_node_ = ranks_per_node;
  quiet_ = daemons.period == duration();
}

void scheduler::catch_up(int rank) {
  rank_state& r = at(rank);
  if (ending_) leave(rank);
  if (next_time() >= r.clock) return;
  r.now = status::catching_up;
  schedule_wake(rank, r.clock);
  r.stack->suspend();
  if (ending_) leave(rank);
}

void scheduler::idle(int rank, duration until, const wait_reason& reason) {
  rank_state& r = at(rank);
  if (ending_) leave(rank);
  if (until <= r.clock || take_changed(rank)) return;
  r.now = status::idle;
  r.reason = &reason;
  r.wake_at = duration::max();
  if (until != duration::max()) schedule_wake(rank, until);
  give_core(rank);
  r.stack->suspend();
  r.reason = nullptr;
  r.clock = std::max(r.clock, events_.now());
  if (ending_) leave(rank);
  if (cores_.shared()) r.clock = cores_.begin(rank, r.clock);
}

/// The rank waits: the next in line has its core once its clock is there.
void scheduler::give_core(int rank) {
  if (!cores_.shared()) return;
  const duration now = std::max(at(rank).clock, events_.now());
  const int next = cores_.leave(rank, now);
  if (next != cores::nobody) schedule_wake(next, now);
}

void scheduler::yield(int rank) {
  if (!cores_.shared() || !cores_.wanted(rank)) return;
  if (ending_) leave(rank);
  rank_state& r = at(rank);
  r.now = status::in_line;
  r.wake_at = duration::max();
  give_core(rank);
  static_cast<void>(cores_.take(rank));  // behind the others
  r.stack->suspend();
  r.clock = std::max(r.clock, events_.now());
  if (ending_) leave(rank);
  r.clock = cores_.begin(rank, r.clock);
}

void scheduler::notify(int rank, duration when) {
  rank_state& r = at(rank);
  if (r.now != status::idle) {
    r.changed = true;
    return;
  }
  if (when >= r.wake_at) return;
  if (when > events_.now()) {
    schedule_wake(rank, when);
    return;
  }
  r.wake_at = when;
  ready_.push_back(rank);
}

void scheduler::schedule_wake(int rank, duration when) {
  at(rank).wake_at = when;
  events_.schedule(when, rank, rank, {&scheduler::wake, this, static_cast<std::uint64_t>(rank)});
}

void scheduler::wake(void* self, std::uint64_t rank) {
  auto& s = *static_cast<scheduler*>(self);
  const rank_state& r = s.ranks_[rank];
  // An earlier wake has overtaken this one, or the rank runs: then it is void.
  if (r.now == status::running || r.now == status::finished) return;
  if (r.wake_at == s.events_.now()) s.ready_.push_back(static_cast<int>(rank));
}

void scheduler::leave(int rank) {
  if (std::uncaught_exceptions() == 0) throw rank_ended{};
  // A destructor waits while this rank unwinds: neither throwing nor returning would end it.
  while (true) {
    at(rank).now = status::finished;
    at(rank).stack->suspend();
  }
}

void scheduler::enter(void* argument) {
  const start& from = *static_cast<start*>(argument);
  scheduler& s = *from.self;
  if (s.cores_.shared() && !s.ending_) {
    duration& clock = s.at(from.rank).clock;
    clock = s.cores_.begin(from.rank, std::max(clock, s.events_.now()));
  }
  try {
    if (!s.ending_) (*s.body_)(from.rank);
  } catch (const rank_ended&) {
    // As asked for by leave().
  } catch (...) {
    s.fail(std::current_exception());
  }
  s.at(from.rank).now = status::finished;
}

void scheduler::resume(int rank) {
  rank_state& r = at(rank);
  if (r.now == status::finished) return;
  if (cores_.shared() && !ending_ && r.now != status::catching_up && !cores_.take(rank)) {
    r.now = status::in_line;
    r.wake_at = duration::max();
    return;
  }
  r.now = status::running;
  r.wake_at = duration::max();
  process::set_current_rank(rank);
  if (watch_ != nullptr) watch_->turn_begins(rank);
  r.stack->resume();
  if (watch_ != nullptr) watch_->turn_ends(rank, 0);
  if (r.now != status::finished) return;
  --unfinished_;
  if (!ending_) give_core(rank);
}

void scheduler::resume_ready() {
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    // Two wakes at the same time for one rank: the second finds it running or idle anew.
    if (at(ready_[i]).wake_at <= events_.now()) resume(ready_[i]);
  }
  ready_.clear();
}

/// Packets first among what happens at the same time.
bool scheduler::step() {
  try {
    while (beside_ != nullptr && beside_->run(events_.next_time())) {
    }
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
  return events_.step();
}

void scheduler::run(function_ref<void(int)> body) {
  body_ = &body;
  failure_ = nullptr;
  ending_ = false;
  unfinished_ = size();
  starts_.clear();
  for (int rank = 0; rank < size(); ++rank) starts_.push_back({this, rank});
  for (int rank = 0; rank < size(); ++rank) {
    rank_state& r = at(rank);
    r.stack = std::make_unique<fiber>(stacks_, static_cast<std::size_t>(rank), &scheduler::enter,
                                      &starts_[static_cast<std::size_t>(rank)]);
    r.now = status::fresh;
    r.clock = std::max(r.clock, events_.now());
    schedule_wake(rank, r.clock);
  }
  while (unfinished_ > 0 && !ending_ && step()) resume_ready();
  if (unfinished_ > 0 && !ending_) {
    failure_ = std::make_exception_ptr(error(error_kind::fault, describe_deadlock()));
  }
  if (failure_) end_all();
  process::set_current_rank(-1);
  body_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void scheduler::end_all() {
  ending_ = true;
  ready_.clear();
  for (int rank = 0; rank < size(); ++rank) resume(rank);
  for (rank_state& r : ranks_) r.stack.reset();
}

std::string scheduler::describe_deadlock() const {
  // A rank's own clock may be ahead of the last event: it worked before it began to wait.
  duration now = events_.now();
  for (const rank_state& r : ranks_) {
    if (r.now != status::finished) now = std::max(now, r.clock);
  }
  std::vector<observe::standing> all;
  for (int rank = 0; rank < size(); ++rank) {
    const rank_state& r = at(rank);
    observe::standing is;
    is.rank = rank;
    if (r.now == status::finished) {
      is.now = observe::doing::ended;
    } else if (r.reason != nullptr) {
      is = standing_of(rank, *r.reason, receiver_ ? receiver_(rank) : nullptr, now - r.clock);
    }
    all.push_back(is);
  }
  std::string text = observe::hang_report(
      fmt::format("deadlock at {:.3f} us of virtual time: nothing is left to happen and {} of {} "
                  "ranks wait",
                  now.us(), unfinished_, size()),
      all);
  text.pop_back();  // the last line's end
  return text;
}

}  // namespace upwash::conduit::sim
