// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of a job for layers: the conduit below, waits, virtual time, handlers, idling. Programs
// do not need it. Constructed at the place of use: `host(here).charge(...)`.
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

  /// Creates the job of a rank. Collective over all ranks of the world. `endpoint` and `idle` must
  /// outlive the job.
  [[nodiscard]] static std::unique_ptr<job> make(conduit::endpoint& endpoint, conduit::waiter& idle,
                                                 int rank, const job_options& options);
  /// Completes this rank's operations and waits until every message of every rank has been handled,
  /// including messages that handlers send. Collective. Cost: two or more reductions over all
  /// ranks.
  void settle() const;
  /// Settles and disconnects from the conduit. Called once, at the end; nothing may be sent
  /// afterwards. Not after an error.
  void finish() const;

  [[nodiscard]] conduit::endpoint& endpoint() const noexcept { return job_.below_->endpoint; }
  [[nodiscard]] upwash::counters& counters() const noexcept { return job_.counters_; }
  /// Returns the writer for the rank's trace, with times as in job::now, or null without a trace.
  /// Valid as long as the job: layers keep the pointer.
  [[nodiscard]] observe::trace_writer* trace() const noexcept {
    return job_.below_->endpoint.trace(job_.rank_);
  }

  /// Charges virtual time for work of a layer. Does nothing on a real conduit.
  void charge(conduit::cost kind, std::uint64_t amount) const noexcept {
    if (job_.virtual_time_) job_.below_->endpoint.charge(job_.rank_, kind, amount);
  }

  /// Blocks until the target is ready, and makes progress. All waits of the library end here. With
  /// a credit target it returns after any progress. On a side fiber it suspends the fiber, and the
  /// caller that resumed the fiber makes progress. Throws `error` (argument) in a handler.
  void wait(const conduit::wait_target& target, const conduit::wait_reason& reason) const;
  /// Returns the side fiber that runs now (side_fiber.hpp), whose waits suspend it. Null in the
  /// main flow.
  [[nodiscard]] side_fiber* aside() const noexcept;
  /// Does once the work for others that a wait does. For blocking calls that need no wait. On a
  /// side fiber it resumes the main flow. Does nothing in handlers, in a service's progress and
  /// while space for a message is open.
  void give_turn() const;
  /// Keeps the processor during the next progress, no matter how long nothing has arrived. For
  /// layers whose callers poll more often than they wait.
  void keep_processor() const noexcept;
  /// Tells the deadlock detector that this rank starts a new wait.
  void begin_wait() const { job_.below_->waiter->begin_wait(job_.rank_); }
  /// Returns how often polling a word that peers write is worthwhile before waiting for it.
  [[nodiscard]] int looks() const noexcept { return job_.below_->waiter->looks(job_.rank_); }

  /// Runs a function under the rules of a handler: the function must not wait, and messages without
  /// credit are queued. An exception of the function ends the job and is thrown here too. In a
  /// handler this call only calls the function.
  void run_as_handler(function_ref<void()> what) const;
  /// Ends the job with `why`, which each later progress throws. Does nothing if the job fails
  /// already.
  void fail(std::exception_ptr why) const noexcept;
  /// Returns the number of handler messages that wait for credit.
  [[nodiscard]] std::size_t deferred() const noexcept;
  /// Runs the layer's progress before more messages are taken. Called in a layer's handler, if the
  /// arrived message lets the layer continue.
  void act_first() const noexcept { job_.below_->act_first(true); }
  /// Says whether a service that wants progress has work now. A new service counts as busy. Also
  /// from a handler.
  void set_busy(service_base& which, bool busy) const noexcept;
  /// Makes the service busy at time `at` (in terms of job::now). Each service has one alarm, the
  /// last one set; max means none. While an alarm is set, waits end for it and do not count as a
  /// deadlock.
  void set_alarm(service_base& which, duration at) const noexcept;
  /// Registers the begin or the end of a layer's operation whose progress polls words that peers
  /// store. Stores to these words are not announced. While any operation is registered, waits poll
  /// after each idle of one turn.
  void watch_words(bool begins) const noexcept;

  /// Lends a task to this rank's progress thread (lent_tasks.hpp). Returns false if there is no
  /// progress thread or if it has the maximum number of tasks. The task then stays with the rank.
  [[nodiscard]] bool lend(lent_task& task) const;
  /// Lets the rank advance a lent task, unless the thread is in a step of it. Returns the number of
  /// steps.
  int go_on(lent_task& task) const;
  /// Takes a task back from the thread. Waits for the step that the thread is in.
  void take_back(lent_task& task) const noexcept;

  /// Replaces this rank's idle behaviour, below all layers. Returns the previous one.
  conduit::waiter& set_waiter(conduit::waiter& idle) const noexcept;
  /// Adds a layer between the rank and its idle behaviour. The layer added last is called first.
  /// Layers may be removed in any order. Removal costs O(layers).
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
