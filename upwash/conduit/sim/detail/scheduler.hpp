// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks as fibers under the event engine. A running rank's clock may be ahead of the global
// time; before it looks at what others did (poll) it lets all events before its clock happen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/fiber.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/sim/detail/cores.hpp"
#include "upwash/conduit/switch_watch.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/conduit/world.hpp"
#include "upwash/simulator/engine.hpp"
#include "upwash/simulator/noise.hpp"

namespace upwash::conduit::sim {

/// Ends a rank whose world has failed.
struct rank_ended : rank_stopped {};

/// What goes on in the same time beside the engine's events: a network of packets.
class companion {
 public:
  /// When its next event is; duration::max() without one.
  [[nodiscard]] virtual duration next_time() = 0;
  /// Runs up to and with `until`, but no further than it schedules something with the engine: then
  /// true.
  virtual bool run(duration until) = 0;

 protected:
  ~companion() = default;
};

class scheduler {
 public:
  scheduler(int ranks, std::size_t stack_bytes);
  ~scheduler();

  /// Daemons on the nodes of so many ranks each, from now on. Throws `error` (argument).
  void disturb(const simulator::noise& daemons, int ranks_per_node);

  /// Ranks of a node take turns on its cores, as cores::share. Before the ranks run.
  void share_cores(const rank_layout& layout, int ranks_per_node, int cores_per_node,
                   cores::switch_times takes) {
    cores_.share(layout, ranks_per_node, cores_per_node, takes);
  }

  /// Who knows what a rank is in, for the report of a deadlock; else only its wait's reason is.
  void ask_of_ranks(std::function<const sink*(int rank)> receiver) {
    receiver_ = std::move(receiver);
  }

  /// What is to run with the ranks from now on; outlives it.
  void accompany(companion& beside) noexcept { beside_ = &beside; }

  /// Tells `by`, which outlives this, of each turn from now on.
  void watch(switch_watch& by) noexcept { watch_ = &by; }

  [[nodiscard]] simulator::engine& events() noexcept { return events_; }
  [[nodiscard]] const simulator::engine& events() const noexcept { return events_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(ranks_.size()); }

  [[nodiscard]] duration clock(int rank) const noexcept { return at(rank).clock; }
  /// When something happens next, here or beside.
  [[nodiscard]] duration next_time() {
    const duration next = events_.next_time();
    return beside_ == nullptr ? next : std::min(next, beside_->next_time());
  }

  /// The rank's processor works so long, and longer where daemons interrupt it.
  void advance(int rank, duration by) noexcept {
    duration& clock = at(rank).clock;
    clock = quiet_ ? clock + by : daemons_.done(rank / ranks_per_node_, clock, by);
  }

  /// Lets every event before the rank's clock happen; no switch when there is none.
  void catch_up(int rank);

  /// Suspends until something happens for the rank, at the latest at `until`. Returns at once
  /// when `until` is not ahead or something happened since the last `take_changed`.
  void idle(int rank, duration until, const wait_reason& reason);

  /// Lets those in line for the rank's core run first: for a rank that looks in a loop.
  void yield(int rank);

  /// Something happens for the rank at `when` (not before the global time).
  void notify(int rank, duration when);

  /// Whether anything was notified while the rank was not idle; forgets it.
  bool take_changed(int rank) noexcept { return std::exchange(at(rank).changed, false); }

  /// Ends the run with an error that no rank threw: the first one counts.
  void fail(std::exception_ptr why) noexcept {
    if (!failure_) failure_ = std::move(why);
    ending_ = true;
  }

  /// Runs `body` for all ranks; world::run describes the errors.
  void run(function_ref<void(int)> body);

 private:
  enum class status : std::uint8_t { fresh, running, catching_up, idle, in_line, finished };
  struct rank_state {
    duration clock;
    duration wake_at = duration::max();  ///< of the wake event that counts
    status now = status::fresh;
    bool changed = false;
    const wait_reason* reason = nullptr;  ///< on the rank's stack, while it is idle
    std::unique_ptr<fiber> stack;
  };
  struct start {
    scheduler* self;
    int rank;
  };

  [[nodiscard]] rank_state& at(int rank) noexcept { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const rank_state& at(int rank) const noexcept {
    return ranks_[static_cast<std::size_t>(rank)];
  }
  /// The earliest event, of either; false: nothing is left to happen, or it failed.
  [[nodiscard]] bool step();

  static void enter(void* argument);
  static void wake(void* self, std::uint64_t rank);
  void schedule_wake(int rank, duration when);
  void leave(int rank);
  void give_core(int rank);
  void resume(int rank);
  void resume_ready();
  void end_all();
  [[nodiscard]] std::string describe_deadlock() const;

  simulator::engine events_;
  companion* beside_ = nullptr;
  switch_watch* watch_ = nullptr;
  std::function<const sink*(int)> receiver_;
  bool quiet_ = true;
  simulator::noise daemons_;
  int ranks_per_node_ = 1;
  cores cores_;
  std::vector<rank_state> ranks_;
  std::vector<start> starts_;
  std::vector<int> ready_;  ///< to resume when the running event is over
  fiber_stacks stacks_;
  function_ref<void(int)>* body_ = nullptr;
  std::exception_ptr failure_;
  bool ending_ = false;
  int unfinished_ = 0;
};

}  // namespace upwash::conduit::sim
