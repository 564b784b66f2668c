// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a world of one process as fibers that take turns, for conduits with real time.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "upwash/base/fiber.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/conduit/switch_watch.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

/// Thrown from a wait when another rank failed, to unwind this rank.
struct stopped_rank : rank_stopped {};

class fiber_ranks {
 public:
  /// `random` orders the turns; it must outlive this object.
  fiber_ranks(int ranks, std::size_t stack_bytes, random_stream& random);

  /// Runs `body` as world::run does. `events` returns the number of events so far. If the number
  /// does not change for long, this is a deadlock: throws an `error` (fault) that names the wait of
  /// each rank. `receiver` returns the sink that knows a rank's status, for that report; null: only
  /// the reason of its wait is known.
  void run(function_ref<void(int)> body, function_ref<std::uint64_t()> events,
           function_ref<const sink*(int rank)> receiver);

  /// Reports each turn to `by` from now on. `by` must outlive this object.
  void watch(switch_watch& by) noexcept { watch_ = &by; }

  /// Lets the other ranks take their turns. Called from inside a rank. Throws stopped_rank when
  /// another rank has failed.
  void yield(int rank);
  /// Lets the other ranks take their turns during a wait.
  void idle(int rank, const wait_reason& reason);

 private:
  struct started {
    fiber_ranks* home;
    const function_ref<void(int)>* body;
    int rank;
  };

  [[nodiscard]] std::size_t count() const { return waits_.size(); }
  static void enter(void* argument);
  void round(std::vector<std::size_t>& order);
  void fail(std::exception_ptr why);
  [[noreturn]] void report_deadlock(function_ref<const sink*(int rank)> receiver) const;

  random_stream& random_;
  std::vector<wait_reason> waits_;
  fiber_stacks stacks_;
  std::vector<std::unique_ptr<fiber>> fibers_;
  std::exception_ptr failure_;
  bool stopping_ = false;
  switch_watch* watch_ = nullptr;
};

}  // namespace upwash::conduit
