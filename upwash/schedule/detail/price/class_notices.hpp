// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank of each class: a few are walked, each alone with its processor and its ports. What comes
// to one was sent by another that stands for the sender, perhaps to somebody else, with the number
// of the edge. If that one leaves the number out (a hole is elsewhere for it), with the one before.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "upwash/schedule/detail/price/agenda.hpp"
#include "upwash/schedule/detail/price/message_charges.hpp"
#include "upwash/schedule/detail/price/messages_under_way.hpp"
#include "upwash/schedule/detail/price/walked_ranks.hpp"

namespace upwash::schedule::detail {

/// Owns the boards: what a rank sends is published there; whoever expects it takes a copy, through
/// a port of its own. Memory: 60 bytes an edge that a walked rank has, for each kind of message;
/// none where ranks are not walked by class. Used against messages and ports.
class class_notices {
 public:
  /// What it is used against.
  struct uses {
    const walked_ranks& team;
    agenda& events;
    messages_under_way& messages;
    message_charges& costs;
    ports& wires;
  };
  explicit class_notices(const uses& all) : uses_(all) {}

  /// Notes all edges of which the rank will send something; before the run.
  void announce(int rank, generator steps, const facts& known);
  /// A rank waits for a message, as it knows it. When it is complete, where its like has been sent
  /// already; else it arrives once that is, not before `earliest`.
  [[nodiscard]] std::optional<duration> expect(const message& what, duration earliest);
  /// A rank has sent a message, whose first byte is there at `head`.
  void publish(const message& what, duration head);

 private:
  struct expectation {
    message what;  ///< as this end knows it
    duration earliest;
  };
  struct board {
    std::map<std::uint32_t, std::optional<duration>> heads;  ///< of all edges; when it was sent
    std::multimap<std::uint32_t, expectation> waiting;
  };
  [[nodiscard]] board& board_of(int rank, message_kind what);
  void come(const expectation& by, duration head);

  uses uses_;
  std::vector<board> boards_;  ///< by rank and kind
};

}  // namespace upwash::schedule::detail
