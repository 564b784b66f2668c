// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks that one process hosts, and the scheduler that drives them. Every conduit's factory
// makes a world; the runtime runs the program on it.
#pragma once

#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/switch_watch.hpp"

namespace upwash::conduit {

/// Thrown by a world through a rank to end it once another rank has failed. Deliberately no
/// std::exception.
struct rank_stopped {};

class world {
 public:
  virtual ~world() = default;

  [[nodiscard]] virtual int size() const noexcept = 0;         ///< ranks of the job
  [[nodiscard]] virtual int first_rank() const noexcept = 0;   ///< first rank in this process
  [[nodiscard]] virtual int local_ranks() const noexcept = 0;  ///< ranks in this process
  [[nodiscard]] virtual endpoint& endpoint_of(int rank) = 0;   ///< endpoint of a rank hosted here
  [[nodiscard]] virtual waiter& waiter_of(int rank) = 0;       ///< idle behaviour of its job

  /// Reports the turns of this process's ranks to `by`, which must outlive the world. Does nothing
  /// if each rank has its own process.
  virtual void watch_turns(switch_watch& /*by*/) {}

  /// Runs `body(rank)` for every local rank to its end, each on its own stack if there are several.
  /// An exception of a body ends the others and is rethrown. A detectable deadlock (no event left,
  /// on virtual conduits) throws `error` (fault) naming the wait of each rank.
  virtual void run(function_ref<void(int)> body) = 0;
};

}  // namespace upwash::conduit
