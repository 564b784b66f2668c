// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a world of one process as fibers that take turns, for conduits whose time is real.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/fiber.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

/// Thrown out of a wait when another rank failed: unwinds this one.
struct stopped_rank : rank_stopped {};

class fiber_ranks {
 public:
  /// `random` orders the turns; it outlives this.
  fiber_ranks(int ranks, std::size_t stack_bytes, random_stream& random);

  /// Who knows what a rank is in, for the report of a deadlock; else only its wait's reason is.
  void ask_of_ranks(std::function<const sink*(int rank)> receiver) {
    receiver_ = std::move(receiver);
  }

  /// As world::run. `events` counts what has happened so far: a world in which it stands still for
  /// long is a deadlock, an `error` (fault) that names what each rank waits for.
  void run(function_ref<void(int)> body, function_ref<std::uint64_t()> events);

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
  [[noreturn]] void report_deadlock() const;

  random_stream& random_;
  std::vector<wait_reason> waits_;
  std::function<const sink*(int)> receiver_;
  fiber_stacks stacks_;
  std::vector<std::unique_ptr<fiber>> fibers_;
  std::exception_ptr failure_;
  bool stopping_ = false;
};

}  // namespace upwash::conduit
