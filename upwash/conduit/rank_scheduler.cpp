// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/rank_scheduler.hpp"

#include <algorithm>
#include <utility>

#include "upwash/base/process.hpp"

namespace upwash::conduit {
namespace {

/// Turns between two looks at other processes, where few ranks are ready all the time.
constexpr std::size_t least_turns = 64;
/// Rounds in vain before ranks are resumed for what no target tells: timers, reports, losses.
constexpr std::uint32_t rounds_in_vain = 64;

}  // namespace

rank_scheduler::rank_scheduler(int first_rank, int ranks, std::size_t stack_bytes,
                               outside_world& outside, random_stream* random)
    : outside_(outside),
      random_(random),
      stack_bytes_(stack_bytes),
      first_rank_(first_rank),
      ranks_(static_cast<std::size_t>(ranks)),
      ready_(ranks_.size()) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].rank = first_rank + static_cast<int>(i);
    ranks_[i].home = this;
  }
}

void rank_scheduler::run(function_ref<void(int)> body) {
  fiber_stacks stacks(ranks_.size(), stack_bytes_);
  body_ = body;
  ready_first_ = ready_count_ = 0;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    local_rank& one = ranks_[i];
    one.stack = std::make_unique<fiber>(stacks, i, &enter, &one);
    make_ready(one);
  }
  left_ = ranks_.size();
  while (left_ != 0 && !failure_) round();
  process::set_current_rank(-1);
  if (failure_) process::leave_all();  // a report would look at the stacks dropped here
  for (local_rank& one : ranks_) one.stack.reset();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void rank_scheduler::enter(void* argument) {
  local_rank& self = *static_cast<local_rank*>(argument);
  rank_scheduler& home = *self.home;
  try {
    (*home.body_)(self.rank);
  } catch (...) {
    home.failure_ = std::current_exception();
  }
  self.is = state::ended;
  --home.left_;
  ++home.moves_;
}

/// What came, for whom it was, their turns; when nothing moves, the core is given on.
void rank_scheduler::round() {
  const std::uint64_t moves = moves_;
  const int came = outside_.poll_for_all();
  const bool reached = ready_count_ > std::exchange(resumed_in_vain_, 0);
  const bool due = ready_count_ == 0 || turns_since_look_ >= ranks_.size();
  const bool some = (due && look_at_waits()) || reached;
  take_turns();
  if (came != 0 || some || moves_ != moves) {
    if (quiet_rounds_ != 0) outside_.resumed();
    quiet_rounds_ = 0;
    return;
  }
  outside_.pause();
  if (++quiet_rounds_ >= rounds_in_vain) look_at_some();
}

/// Whether a wait is over. Ranks that poll get ready as well.
bool rank_scheduler::look_at_waits() noexcept {
  turns_since_look_ = 0;
  bool over = false;
  for (local_rank& one : ranks_) {
    if (one.is != state::waiting) continue;
    const bool reached = one.target != nullptr && one.target->ready();
    if (reached || one.polls) make_ready(one);
    over |= reached;
  }
  return over;
}

/// A part of all ranks a round, so that who looks at a word still answers at once.
void rank_scheduler::look_at_some() noexcept {
  for (std::size_t i = 0; i <= ranks_.size() / rounds_in_vain; ++i) {
    local_rank& one = ranks_[next_look_];
    next_look_ = next_look_ + 1 == ranks_.size() ? 0 : next_look_ + 1;
    if (one.is != state::waiting) continue;
    make_ready(one);
    ++resumed_in_vain_;
  }
}

void rank_scheduler::take_turns() {
  turns_left_ = std::max(ready_.size(), least_turns);
  while (ready_count_ != 0 && turns_left_ != 0 && !failure_) {
    --turns_left_;
    ++turns_since_look_;
    local_rank& one = next_ready();
    one.is = state::running;
    process::set_current_rank(one.rank);
    if (watch_ == nullptr) {
      one.stack->resume();
    } else {
      watch_->turn_begins(one.rank);
      one.stack->resume();
      watch_->turn_ends(one.rank, ready_beside(one));
    }
  }
}

int rank_scheduler::ready_beside(const local_rank& but) const noexcept {
  return static_cast<int>(std::ranges::count_if(ranks_, [&](const local_rank& one) {
    if (&one == &but || one.is == state::ended) return false;
    return one.is == state::ready || one.polls || (one.target != nullptr && one.target->ready());
  }));
}

void rank_scheduler::make_ready(local_rank& one) noexcept {
  one.is = state::ready;
  std::size_t at = ready_first_ + ready_count_++;
  if (at >= ready_.size()) at -= ready_.size();
  ready_[at] = static_cast<std::uint32_t>(one.rank - first_rank_);
}

rank_scheduler::local_rank& rank_scheduler::next_ready() noexcept {
  if (random_ != nullptr) {
    const std::size_t drawn = (ready_first_ + random_->below(ready_count_)) % ready_.size();
    std::swap(ready_[ready_first_], ready_[drawn]);
  }
  local_rank& next = ranks_[ready_[ready_first_]];
  ready_first_ = ready_first_ + 1 == ready_.size() ? 0 : ready_first_ + 1;
  --ready_count_;
  return next;
}

void rank_scheduler::wake(std::size_t local) noexcept {
  local_rank& one = ranks_[local];
  if (one.is == state::waiting) make_ready(one);
}

void rank_scheduler::idle(int rank, const wait_target& target, const wait_reason& /*reason*/) {
  local_rank& self = at(rank);
  // Credit comes by what others do, of which nobody tells.
  self.polls = target.what() == wait_target::kind::credit || target.polls();
  self.target = &target;
  self.is = state::waiting;
  self.stack->suspend();
}

void rank_scheduler::yield(int rank) {
  local_rank& self = at(rank);
  ++moves_;
  // It may poll for what comes from outside: its next turn is behind a look there.
  turns_left_ = std::min(turns_left_, ready_count_);
  make_ready(self);
  self.stack->suspend();
}

}  // namespace upwash::conduit
