// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/side_fiber.hpp"

#include <algorithm>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash {
namespace {

constexpr std::size_t first_stacks = 4;
constexpr std::size_t most_stacks_at_once = 256;

void throw_fault_of(job& here) {
  if (detail::job_access::failed(here)) {
    std::rethrow_exception(detail::job_access::state(here).fault);
  }
}

}  // namespace

side_fiber::side_fiber(job& here, fiber_stacks& stacks, std::size_t index)
    : here_(here), stack_(stacks, index, &enter, this) {}

/// The stack is used again and again: what runs next finds it as the first one did.
void side_fiber::enter(void* self) {
  side_fiber& me = *static_cast<side_fiber*>(self);
  for (;;) {
    try {
      me.run_(me.argument_);
    } catch (...) {
      me.failure_ = std::current_exception();
    }
    me.suspend(state::over);
  }
}

void side_fiber::resume() {
  detail::job_state& rank = detail::job_access::state(here_);
  ensure(rank.aside == nullptr, "no fiber aside resumes another");
  now_ = state::runs;
  rank.aside = this;
  stack_.resume();
  rank.aside = nullptr;
}

void side_fiber::suspend(state until) {
  now_ = until;
  stack_.suspend();
}

void side_fiber::wait(const conduit::wait_target& target, const conduit::wait_reason& reason) {
  throw_fault_of(here_);
  const wait_scope in(here_, reason);
  if (target.what() == conduit::wait_target::kind::credit) {
    suspend(state::tries_again);
    return throw_fault_of(here_);
  }
  // It has come from another wait: as in the main flow, others may have seen something happen.
  detail::job_state& rank = detail::job_access::state(here_);
  host(here_).begin_wait();
  const bool unannounced = target.what() != conduit::wait_target::kind::predicate;
  target_ = &target;
  rank.words_aside += unannounced ? 1 : 0;
  suspend(state::waits);
  rank.words_aside -= unannounced ? 1 : 0;
  throw_fault_of(here_);
}

/// It polls in a loop. Where that takes virtual time something has happened.
void side_fiber::give_way(const conduit::wait_reason& reason, bool took_time) {
  throw_fault_of(here_);
  const wait_scope in(here_, reason);
  suspend(took_time ? state::goes_on : state::tries_again);
  throw_fault_of(here_);
}

void side_fiber::park(const conduit::wait_reason& reason) {
  throw_fault_of(here_);
  const wait_scope in(here_, reason);
  suspend(state::parked);
  throw_fault_of(here_);
}

side_fiber& side_fibers::begin(void (*run)(void*), void* argument) {
  if (free_.empty()) add_stacks();
  side_fiber& one = *free_.back();
  free_.pop_back();
  one.run_ = run;
  one.argument_ = argument;
  one.now_ = side_fiber::state::goes_on;
  return one;
}

void side_fibers::add_stacks() {
  const std::size_t count = std::clamp(all_.size(), first_stacks, most_stacks_at_once);
  stacks_.push_back(std::make_unique<fiber_stacks>(count, here_.options().side_stack_bytes));
  for (std::size_t i = count; i > 0; --i) {
    all_.push_back(std::make_unique<side_fiber>(here_, *stacks_.back(), i - 1));
    free_.push_back(all_.back().get());
  }
}

}  // namespace upwash
