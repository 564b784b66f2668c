// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How an edge travels, in the wire steps of lower(): sends, receives and what is collected.
#pragma once

#include "upwash/schedule/detail/price/processors.hpp"
#include "upwash/schedule/detail/price/step_flow.hpp"
#include "upwash/schedule/detail/price/wires.hpp"

namespace upwash::schedule::detail {

/// Owns nothing: an edge is its two steps, in the windows, and its messages. Used against the
/// wires, the meetings and the processors.
class edges {
 public:
  /// What it is used against.
  struct uses {
    const walked_ranks& team;
    const transfer_rules& rules;
    agenda& events;
    processors& at_work;
    rank_windows& windows;
    messages_under_way& messages;
    message_charges& costs;
    wires& out;
    edge_meetings& meetings;
    step_flow& flow;
  };
  explicit edges(const uses& all) : uses_(all) {}

  // Steps begin.
  void send(int rank, step_number n, duration at);
  void receive(int rank, step_number n, duration at);

  // What was waited for is here, and the processor takes it up.
  void invited(int rank, step_number n, duration at);
  void take(int rank, step_number n, duration at);
  void taken_by_collect(int rank, std::uint64_t which, duration at);
  /// The data of an edge whose receiver got it; of a collect: without a step.
  void fetched(int rank, const message& reply, duration at);
  void acknowledged(int rank, step_number n, duration at);

 private:
  [[nodiscard]] step& step_at(int rank, step_number n) { return uses_.windows.step_at(rank, n); }
  void put_on_wire(int rank, step_number n, duration at);
  void fetch(int rank, step_number n, const message& offer, duration at);
  void acknowledge(int rank, const message& what, duration at);
  [[nodiscard]] message from_peer(message_kind what, int rank, step_number n);
  void expect_answers(int rank, step_number n, duration earliest);

  uses uses_;
};

}  // namespace upwash::schedule::detail
