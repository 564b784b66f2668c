// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a world of one process as fibers that take turns, for conduits whose time is real.
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

/// Thrown out of a wait when another rank failed: unwinds this one.
struct stopped_rank : rank_stopped {};

class fiber_ranks {
 public:
  /// `random` orders the turns; it outlives this.
  fiber_ranks(int ranks, std::size_t stack_bytes, random_stream& random);

  /// As world::run. `events` counts what has happened so far: a world in which it stands still for
  /// long is a deadlock, an `error` (fault) that names what each rank waits for.
  /// `receiver`: who knows what a rank is in, for that report; null: only its wait's reason does.
  void run(function_ref<void(int)> body, function_ref<std::uint64_t()> events,
           function_ref<const sink*(int rank)> receiver);

  /// Tells `by`, which outlives this, of each turn from now on.
  void watch(switch_watch& by) noexcept { watch_ = &by; }

  /// From inside a rank: the others' turns. Throws stopped_rank when one has failed.
  void yield(int rank);
  /// The same in a wait.
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
