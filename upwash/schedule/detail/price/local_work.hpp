// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies and reductions, by the processor; without direct access a peer's operand is fetched
// first, a peer's result is put.
#pragma once

#include "upwash/schedule/detail/price/processors.hpp"
#include "upwash/schedule/detail/price/step_flow.hpp"
#include "upwash/schedule/detail/price/wires.hpp"

namespace upwash::schedule::detail {

/// Owns nothing: what has been fetched shows in the step. Used against the processors and the
/// wires.
class local_work {
 public:
  /// What it is used against.
  struct uses {
    const walked_ranks& team;
    const transfer_rules& rules;
    processors& at_work;
    rank_windows& windows;
    message_charges& costs;
    wires& out;
    step_flow& flow;
  };
  explicit local_work(const uses& all) : uses_(all) {}

  /// A copy or a reduction begins.
  void begin(int rank, step_number n, duration at);
  /// A peer's operand is here.
  void fetched(int rank, step_number n, duration at);
  /// The result is at the peer.
  void stored(int rank, step_number n, duration at) {
    uses_.flow.finish(rank, n, uses_.at_work.earliest(rank, at));
  }

 private:
  [[nodiscard]] bool is_remote(int rank, const piece& p) const noexcept {
    return p.of != buffer::none && !uses_.team.is_itself(rank, p.owner) && !uses_.rules.direct;
  }
  void get(int rank, step_number n, const piece& from, duration at);
  void put(int rank, step_number n, duration at);

  uses uses_;
};

}  // namespace upwash::schedule::detail
