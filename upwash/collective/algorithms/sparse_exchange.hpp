// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: messages, or one block, for some ranks. Idea: take whatever comes; send; end when as
// many have come as one knows of. Where nobody knows: when all is acknowledged enter a barrier;
// behind it nothing comes. Cost: the messages; unknown: their acknowledgements, and ceil(log2 P)
// messages of no bytes. Restrictions: none. Source: Kumar 2005, equations 3.20 and 3.24; unknown:
// Hoefler, Siebert and Lumsdaine 2010 (NBX).
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/given_messages.hpp"
#include "upwash/collective/algorithms/dissemination_barrier.hpp"

namespace upwash::collective {

/// Takes the arrays of detail::given_messages; given(3): a word for each message that comes, unless
/// that is unknown. What comes is handed to the caller as edge 0.
class sparse_exchange {
 public:
  enum class senders : std::uint8_t {
    unknown,
    known,
    checked,  ///< known, and as with unknown ones, so that a wrong number is found out
  };

  sparse_exchange(int ranks, int rank, senders who = senders::unknown,
                  detail::to_each what = detail::to_each::message_of_its_own)
      : ranks_(ranks), who_(who), what_(what), barrier_(ranks, rank) {}

  /// Throws `error` (argument) for a destination outside the team or arrays of unequal length.
  bool next(schedule::step& out, schedule::tape& on);
  /// Whatever the number of messages: the barrier waits for all of them at once.
  [[nodiscard]] std::uint32_t window() const noexcept { return barrier_.window(); }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }

 private:
  enum class phase : std::uint8_t { open, send, barrier, end };

  void send(schedule::step& out, schedule::tape& on);
  void close(schedule::step& out, schedule::tape& on);

  int ranks_;
  senders who_;
  detail::to_each what_;
  phase phase_ = phase::open;
  schedule::mark all_there_ = schedule::never;  ///< the barrier's first step
  std::uint64_t sent_ = 0;
  dissemination_barrier barrier_;
};

}  // namespace upwash::collective
