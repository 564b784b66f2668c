// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <iterator>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/relax.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/idle_clock.hpp"
#include "upwash/core/may_wait.hpp"
#include "upwash/core/peer_traffic.hpp"
#include "upwash/core/side_fiber.hpp"
#include "upwash/core/team.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash {
namespace {

/// A rank with work of its own without end lets those go on that share its process.
constexpr unsigned most_moves_in_a_row = 1024;

}  // namespace

void check_may_wait(const job& here, std::string_view operation) {
  if (!here.in_handler()) [[likely]]
    return;
  throw error(error_kind::argument,
              fmt::format("rank {}: {} would block inside a handler; handlers run to completion "
                          "and only send or reply",
                          here.rank(), operation));
}

std::unique_ptr<job> host::make(conduit::endpoint& endpoint, conduit::waiter& idle, int rank,
                                const job_options& options) {
  return std::unique_ptr<job>(
      new job(std::make_unique<detail::footing>(endpoint, idle), rank, options));  // only this may
}

/// Completes what this rank has begun, then adds up what all have sent and handled. Messages may
/// still be under way, to beget others, until nothing was sent between one sum and the next
/// beyond what had been handled (Mattern's four counters). The last sum is the barrier. Nobody may
/// leave earlier: a rank that has left takes no messages, and its queue fills for its neighbours.
void host::settle() const {
  static constexpr conduit::wait_reason reason{.operation = "finish"};
  if (aside() != nullptr) {
    throw error(error_kind::argument,
                fmt::format("rank {}: finish on a fiber aside from the main flow, for whose end it "
                            "waits; call it outside methods",
                            job_.rank_));
  }
  const wait_scope in(job_, reason);
  detail::job_state& state = *job_.state_;
  const team world = job_.world();
  state.called_before_end = team_access::state(world).control_number;
  enum { sent, handled };
  std::array<std::uint64_t, 2> total{};
  std::uint64_t handled_before = 0;
  bool first = true;
  for (int to = 0; (to = state.memory.first_unconfirmed()) >= 0;) confirm(job_, to).wait();
  do {
    handled_before = total[handled];
    job_.quiet(call_site{});
    while (state.messages.deferred() != 0 || state.memory.busy() || state.memory.in_flight() != 0) {
      wait(conduit::wait_target::credit(-1, conduit::lane::request), reason);
    }
    if (job_.size_ == 1) await_own_messages(reason);
    total[sent] = state.messages.sent() - state.control_sent;
    total[handled] = job_.counters_.handlers_run - state.control_handled;
    control::all_reduce(world, total, control::fold::sum);
  } while (std::exchange(first, false) || total[sent] != handled_before);
  state.called_before_end.reset();
}

void host::finish() const {
  settle();
  const auto& services = job_.state_->services;
  if (job_.options_.checked) {
    for (std::size_t i = 0; i < services.size(); ++i) services[i].second->check();
  }
  job_.below_->endpoint.close(job_.rank_);
}

/// With one rank no sum waits for anybody, and so nothing would take what it sent itself.
void host::await_own_messages(const conduit::wait_reason& reason) const {
  const auto all_handled = [](const void* context) {
    const auto& here = *static_cast<const job*>(context);
    return here.counters_.handlers_run == here.state_->messages.sent();
  };
  wait(conduit::wait_target::predicate(all_handled, &job_), reason);
}

/// Looks for a while at a word that peers write; whether it came.
bool host::look_on(const conduit::wait_target& target) const noexcept {
  for (int looks = job_.below_->waiter->looks(job_.rank_); looks > 0; --looks) {
    if (target.ready()) return true;
    relax();
  }
  return false;
}

/// Whether this rank's progress has something to look for beside messages.
bool host::has_work() const noexcept {
  const auto& state = *job_.state_;
  return state.busy_services != 0 || state.messages.deferred() != 0 || state.memory.busy();
}

/// Where others poll for this rank, and it has no work of its own, it is resumed when its target is
/// reached. Whether it is.
bool host::idle_in_turn(const conduit::wait_target& target,
                        const conduit::wait_reason& reason) const {
  if (has_work() || target.what() == conduit::wait_target::kind::credit) return false;
  const wait_scope in(job_, reason);
  conduit::waiter& below = *job_.below_->waiter;
  below.begin_wait(job_.rank_);
  below.idle(job_.rank_, target, reason);
  job_.memory_calls_ = 0;
  return target.ready() && !detail::job_access::failed(job_);
}

void host::wait(const conduit::wait_target& target, const conduit::wait_reason& reason) const {
  if (job_.in_handler_) [[unlikely]]
    check_may_wait(job_, reason.operation);
  if (target.ready()) return;
  if (side_fiber* const on = job_.state_->aside; on != nullptr) return on->wait(target, reason);
  if (job_.state_->polled_for) {
    if (idle_in_turn(target, reason)) return;
  } else if (target.by_peers() && look_on(target)) {
    return;
  }
  const bool once = target.what() == conduit::wait_target::kind::credit;
  const auto one_idle = conduit::wait_target::credit(reason.peer, conduit::lane::request);
  const wait_scope in(job_, reason);
  unsigned moves = 0;  // in a row
  for (unsigned& idles = job_.state_->idles;;) {
    const int moved = job_.progress_step();
    if (once && moved != 0) return note_moves_for_credit();
    if (target.ready()) return;
    if (moved != 0 && (++moves < most_moves_in_a_row || job_.virtual_time_)) continue;
    moves = 0;
    if (idles == 0) job_.below_->waiter->begin_wait(job_.rank_);
    const bool looks_itself =
        job_.state_->words_aside == 0 && (job_.state_->word_watchers == 0 || target.by_peers());
    conduit::wait_target until = looks_itself ? target : one_idle;
    until.set_polls(has_work());
    // In a wait of a service's progress nobody would hear it: idling would end at once, again and
    // again.
    if (!job_.state_->in_services) until.set_alarm(job_.state_->next_alarm);
    job_.below_->waiter->idle(job_.rank_, until, reason);
    job_.memory_calls_ = 0;  // others have had their turn
    if (target.by_peers() && look_on(target)) return;
    // Seldom, since it reads the clock, and not in short waits; but soon enough where an idle takes
    // a turn of everybody else on the processor.
    if ((++idles & 0xff) == 0 || (idles >= 16 && (idles & (idles - 1)) == 0) ||
        job_.state_->hang.asked()) {
      note_idle();
    }
    if (once || target.ready()) {
      if (once) job_.progress_step();
      return;
    }
  }
}

/// What this rank has to do may never end, while the credit comes from one that shares its process.
void host::note_moves_for_credit() const {
  if (++job_.state_->moves_for_credit % most_moves_in_a_row == 0 && !job_.virtual_time_) {
    job_.below_->waiter->yield(job_.rank_);
  }
}

void host::give_turn() const {
  auto& state = *job_.state_;
  if (job_.in_handler_ || state.messages.any_room_open()) return;
  if (state.aside == nullptr && state.in_services) return;
  charge(conduit::cost::poll, 1);
  if (state.aside != nullptr) {
    return state.aside->give_way({.operation = "a loop over memory"}, job_.virtual_time_);
  }
  job_.progress_step();
  job_.below_->waiter->yield(job_.rank_);
}

void host::note_idle() const {
  auto& state = *job_.state_;
  job_.look_for_losses();
  if (job_.virtual_time_) return;
  const std::int64_t now_ps = steady_now().ps();
  if (state.waiting.since_ps.load(std::memory_order_relaxed) == 0) {
    state.waiting.since_ps.store(now_ps, std::memory_order_relaxed);
    state.hang.reported = false;
  }
  detail::tell_of_wait(job_, duration::from_ps(now_ps - state.waiting.since_ps.load()));
}

conduit::waiter& host::set_waiter(conduit::waiter& idle) const noexcept {
  auto& layers = job_.state_->waiters;
  return *std::exchange(layers.empty() ? job_.below_->waiter : layers.front()->inner_, &idle);
}

void host::add_waiter(waiter_layer& outermost) const {
  job_.state_->waiters.push_back(&outermost);
  outermost.inner_ = std::exchange(job_.below_->waiter, &outermost);
}

void host::remove_waiter(waiter_layer& going) const noexcept {
  auto& layers = job_.state_->waiters;
  const auto at = std::ranges::find(layers, &going);
  if (at == layers.end()) return;
  const auto outer = std::next(at);
  (outer == layers.end() ? job_.below_->waiter : (*outer)->inner_) = going.inner_;
  layers.erase(at);
}

void host::set_busy(service_base& which, bool busy) const noexcept {
  if (which.busy_ == busy) return;
  which.busy_ = busy;
  job_.state_->busy_services += busy ? 1 : -1;
}

void host::set_alarm(service_base& which, duration at) const noexcept {
  if (which.alarm_ == at) return;
  which.alarm_ = at;
  job_.find_next_alarm();
}

void host::watch_words(bool begins) const noexcept {
  job_.state_->word_watchers += begins ? 1 : -1;
}

bool host::lend(lent_task& task) const {
  detail::job_state& state = *job_.state_;
  if (state.lent == nullptr || !state.lent->lend(task)) return false;
  job_.below_->endpoint.wake_poll_memory();
  return true;
}

int host::go_on(lent_task& task) const { return job_.state_->lent->go_on(task); }
void host::take_back(lent_task& task) const noexcept { job_.state_->lent->take_back(task); }

void host::keep_processor() const noexcept { job_.state_->keeps_processor = true; }

void host::run_as_handler(function_ref<void()> what) const {
  if (job_.in_handler_) return what();
  job_.handling_ = conduit::lane::reply;  // nobody to reply to
  job_.in_handler_ = true;
  try {
    what();
  } catch (...) {
    detail::job_access::set_fault(job_, std::current_exception());
    job_.in_handler_ = false;
    throw;
  }
  job_.in_handler_ = false;
}

void host::fail(std::exception_ptr why) const noexcept {
  detail::job_access::set_fault(job_, std::move(why));
}

side_fiber* host::aside() const noexcept { return job_.state_->aside; }

std::size_t host::deferred() const noexcept { return job_.state_->messages.deferred(); }

}  // namespace upwash
