// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where messages meet the steps that wait for them, and the collects that take what nobody names.
#pragma once

#include <vector>

#include "upwash/schedule/detail/price/agenda.hpp"
#include "upwash/schedule/detail/price/meeting.hpp"
#include "upwash/schedule/detail/price/messages_under_way.hpp"
#include "upwash/schedule/detail/price/rank_windows.hpp"

namespace upwash::schedule::detail {

/// Owns what waits for its other end, and by rank the edges that are collected. Memory: 80 bytes a
/// message or step that waits, 24 a rank walked. Used against the messages and the windows.
class edge_meetings {
 public:
  /// What it is used against.
  struct uses {
    agenda& events;
    messages_under_way& messages;
    rank_windows& windows;
  };
  edge_meetings(const uses& all, int ranks)
      : uses_(all), collects_(static_cast<std::size_t>(ranks)) {}

  /// A send waits until its receiver invites it.
  void await_invitation(int rank, step_number n, int to, duration at);
  /// A receive waits for its message.
  void await_message(int rank, step_number n, int from, duration at);
  /// A message of an edge is here: data, an offer or an invitation.
  void come(std::uint64_t which);

  /// From now on the edge's messages are collected; those that wait are.
  void collect(int rank, std::uint32_t edge, duration at);
  void close(int rank, std::uint32_t edge) {
    std::erase(collects_[static_cast<std::size_t>(rank)], edge);
  }

  [[nodiscard]] bool empty() const noexcept { return meetings_.empty(); }

 private:
  uses uses_;
  meetings meetings_;
  std::vector<std::vector<std::uint32_t>> collects_;
};

}  // namespace upwash::schedule::detail
