// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The way of items over a grid: in phase k to the rank of the own line that has the destination's
// coordinate k. What a combining exchange asks of a way, all of it O(dimensions):
//  - a phase has targets by number, one of them the rank's own (what stays here);
//  - each turn of a phase is that of a target, to which a message goes, always, if there is a
//    peer for it; and of up to two senders by number, of which one comes.
#pragma once

#include "upwash/collective/algorithms/detail/mesh_turn.hpp"

namespace upwash::collective::detail {

class grid_route {
 public:
  grid_route(int ranks, int rank, int dimensions)
      : turn_(model::grid::near_cube(ranks, dimensions), rank) {}

  [[nodiscard]] int rank() const noexcept { return turn_.rank(); }
  [[nodiscard]] int ranks() const noexcept { return turn_.on().ranks(); }
  [[nodiscard]] int phase() const noexcept { return turn_.phase(); }
  [[nodiscard]] int targets() const noexcept { return turn_.on().size(turn_.phase()); }
  [[nodiscard]] int own_target() const noexcept { return turn_.own_coordinate(); }
  [[nodiscard]] int target_of(int destination) const noexcept {
    return turn_.on().cell_of(destination)[static_cast<std::size_t>(turn_.phase())];
  }

  [[nodiscard]] int senders() const noexcept { return turn_.senders(); }
  [[nodiscard]] int own_sender() const noexcept { return turn_.own_coordinate(); }
  [[nodiscard]] int sender(int number) const noexcept { return turn_.sender(number); }

  [[nodiscard]] int target() const noexcept { return turn_.coordinate_to(); }
  /// -1: nobody; always so for the own target.
  [[nodiscard]] int peer() const noexcept { return turn_.is_own() ? -1 : turn_.peer(); }
  /// Number of the sender that is heard; -1: none.
  [[nodiscard]] int arrival(bool second) const noexcept { return turn_.arrival(second); }

  [[nodiscard]] std::uint32_t edge() const noexcept { return turn_.edge(); }
  [[nodiscard]] std::uint32_t edges() const noexcept { return turn_.edges(); }
  /// False: the phase is over, and this is its first turn again.
  bool next_turn() noexcept { return turn_.next_turn(); }
  /// False: this was the last.
  bool next_phase() noexcept {
    if (turn_.in_last_phase()) return false;
    turn_.next_phase();
    return true;
  }

 private:
  mesh_turn turn_;
};

}  // namespace upwash::collective::detail
