// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: messages for some ranks, and nobody knows who sends to it. Idea: take whatever comes;
// send; when all is acknowledged enter a barrier: behind it nothing comes any more. Cost: the
// messages, their acknowledgements, ceil(log2 P) messages of no bytes. Restrictions: none; a rank
// may send to itself, and several messages to one. Source: Hoefler, Siebert and Lumsdaine 2010
// (NBX).
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/dissemination_barrier.hpp"

namespace upwash::collective {

class sparse_exchange {
 public:
  /// Given by the caller: the destinations (0), the bytes for each (1), their offsets in the input
  /// (2). What comes is handed to the caller as edge 0.
  sparse_exchange(int ranks, int rank) : ranks_(ranks), barrier_(ranks, rank) {}

  /// Throws `error` (argument) for a destination outside the team or arrays of unequal length.
  bool next(schedule::step& out, schedule::tape& on);
  /// Whatever the number of messages: the barrier waits for all of them at once.
  [[nodiscard]] std::uint32_t window() const noexcept { return barrier_.window(); }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }

 private:
  enum class phase : std::uint8_t { open, send, barrier, end };

  void send(schedule::step& out, schedule::tape& on);

  int ranks_;
  phase phase_ = phase::open;
  schedule::mark all_there_ = schedule::never;  ///< the barrier's first step
  std::uint64_t sent_ = 0;
  dissemination_barrier barrier_;
};

}  // namespace upwash::collective
