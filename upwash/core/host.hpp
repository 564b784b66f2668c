// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job as layers see it: the conduit below, waiting, virtual time, running as a handler, idling.
// Programs have no need of it. A view, made where it is used: `host(here).charge(...)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/core/detail/footing.hpp"
#include "upwash/core/job.hpp"

namespace upwash {

class lent_task;
class side_fiber;
class waiter_layer;

class host {
 public:
  explicit host(job& of) noexcept : job_(of) {}

  /// Makes the job of a rank. Collective over all ranks of the world. `endpoint` and `idle` outlive
  /// it.
  [[nodiscard]] static std::unique_ptr<job> make(conduit::endpoint& endpoint, conduit::waiter& idle,
                                                 int rank, const job_options& options);
  /// Collective: completes this rank's operations and waits until every message of every rank has
  /// been handled, with those that handlers send. Two or more reductions over all ranks.
  void settle() const;
  /// Once, at the end: settles, and takes leave of the conduit. Nothing may be sent any more. Not
  /// after an error.
  void finish() const;

  [[nodiscard]] conduit::endpoint& endpoint() const noexcept { return job_.below_->endpoint; }
  [[nodiscard]] upwash::counters& counters() const noexcept { return job_.counters_; }
  /// Where the rank writes down what it does, by job::now; null: nowhere. As long as the job;
  /// layers keep it.
  [[nodiscard]] observe::trace_writer* trace() const noexcept {
    return job_.below_->endpoint.trace(job_.rank_);
  }

  /// Virtual time for work of a layer; nothing on a real conduit.
  void charge(conduit::cost kind, std::uint64_t amount) const noexcept {
    if (job_.virtual_time_) job_.below_->endpoint.charge(job_.rank_, kind, amount);
  }

  /// Blocks until the target is ready, making progress; all waiting of the library ends here.
  /// With a credit target it returns after any progress. Throws `error` (argument) in a handler.
  /// On a fiber aside it suspends that, and whoever resumed it makes progress.
  void wait(const conduit::wait_target& target, const conduit::wait_reason& reason) const;
  /// The fiber aside that runs now (side_fiber.hpp), whose waits suspend it; null: the main flow.
  [[nodiscard]] side_fiber* aside() const noexcept;
  /// What a wait does for others, once, for blocking calls that need no wait; on a fiber aside it
  /// lets the main flow go on. Nothing in handlers, in a service's progress and while a room for a
  /// message is open.
  void give_turn() const;
  /// The next progress does not give the processor away, however long nothing has come: for layers
  /// whose callers look more often than they wait.
  void keep_processor() const noexcept;
  /// A wait begins that others may have brought about: a sign of life, for who looks for deadlocks.
  void begin_wait() const { job_.below_->waiter->begin_wait(job_.rank_); }
  /// How often it pays to look at a word that peers write before one waits for it.
  [[nodiscard]] int looks() const noexcept { return job_.below_->waiter->looks(job_.rank_); }

  /// Runs `what` as a handler runs: it must not wait, and what it sends without credit is queued.
  /// What it throws ends the job, and is thrown here too. In a handler: only calls it.
  void run_as_handler(function_ref<void()> what) const;
  /// The job ends with `why`, which each progress throws from now on; not if it fails already.
  void fail(std::exception_ptr why) const noexcept;
  /// Messages of handlers that wait for credit.
  [[nodiscard]] std::size_t deferred() const noexcept;
  /// In a handler of a layer: what came lets it go on, so its progress comes before more messages.
  void act_first() const noexcept { job_.below_->act_first(true); }
  /// Whether a service that wants progress has work now; at first it has. Also from a handler.
  void set_busy(service_base& which, bool busy) const noexcept;
  /// The service has work from that time on (job::now): it is then busy. One alarm a service, the
  /// last that was set; max: none. While any is set waits end for it, and are no deadlock.
  void set_alarm(service_base& which, duration at) const noexcept;
  /// An operation of a layer begins, or ends, whose progress looks at words that peers store.
  /// Nothing announces those: while there is any, waits poll after each idle of one turn.
  void watch_words(bool begins) const noexcept;

  /// Lends a task to this rank's progress thread (lent_tasks.hpp); false: it stays the rank's,
  /// since there is no such thread, or it has many already.
  [[nodiscard]] bool lend(lent_task& task) const;
  /// One that was lent goes on by the rank, unless the thread is at it. Returns how many steps.
  int go_on(lent_task& task) const;
  /// The thread is not at it any more. Waits for the step that it is at.
  void take_back(lent_task& task) const noexcept;

  /// Replaces what this rank does when idle, below all layers; returns the one before.
  conduit::waiter& set_waiter(conduit::waiter& idle) const noexcept;
  /// Puts a layer between the rank and what it does when idle: the one added last goes first. They
  /// go in any order. O(layers) to go.
  void add_waiter(waiter_layer& outermost) const;
  void remove_waiter(waiter_layer& going) const noexcept;

 private:
  void await_own_messages(const conduit::wait_reason& reason) const;
  [[nodiscard]] bool has_work() const noexcept;
  [[nodiscard]] bool idle_in_turn(const conduit::wait_target& target,
                                  const conduit::wait_reason& reason) const;
  [[nodiscard]] bool look_on(const conduit::wait_target& target) const noexcept;
  void note_idle() const;
  void note_moves_for_credit() const;

  job& job_;
};

}  // namespace upwash
