// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks that one process hosts, and the scheduler that drives them. Every conduit's factory
// makes one of these; runtime runs the program on it.
#pragma once

#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/switch_watch.hpp"

namespace upwash::conduit {

/// What a world throws through a rank to end it once another has failed; deliberately no
/// std::exception.
struct rank_stopped {};

class world {
 public:
  virtual ~world() = default;

  [[nodiscard]] virtual int size() const noexcept = 0;         ///< ranks in all
  [[nodiscard]] virtual int first_rank() const noexcept = 0;   ///< hosted in this process
  [[nodiscard]] virtual int local_ranks() const noexcept = 0;  ///< how many
  [[nodiscard]] virtual endpoint& endpoint_of(int rank) = 0;   ///< of a rank hosted here
  [[nodiscard]] virtual waiter& waiter_of(int rank) = 0;       ///< what its job idles with

  /// Tells `by`, which outlives the world, of the turns that ranks of its process take; nothing
  /// where each has its own.
  virtual void watch_turns(switch_watch& /*by*/) {}

  /// Runs `body(rank)` for every local rank to its end, each on its own stack when there are
  /// several. An exception of a body ends the others and is rethrown. A deadlock that can be
  /// seen (nothing left to happen, on virtual conduits) throws `error` (fault) naming what each
  /// rank waits for.
  virtual void run(function_ref<void(int)> body) = 0;
};

}  // namespace upwash::conduit
