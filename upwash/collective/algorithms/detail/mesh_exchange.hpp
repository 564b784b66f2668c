// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the exchange of equal and that of uneven blocks do alike: walk over the blocks that a
// message takes, and copy them one after the other.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/mesh_turn.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective::detail {

class mesh_exchange {
 public:
  /// Steps wait for one of the last few; the rest is room for messages to overlap.
  [[nodiscard]] std::uint32_t window() const noexcept;

 protected:
  mesh_exchange(int ranks, int rank, int dimensions)
      : turn_(model::grid::near_cube(ranks, dimensions), rank) {}

  /// In one dimension each message is a block of the input, and comes to its place in the output.
  [[nodiscard]] bool is_direct() const noexcept { return turn_.on().dimensions() == 1; }

  /// The next run of blocks that this turn's message takes: in phase 0 one of the input, later the
  /// `share_` of a source. False: it has all.
  bool next_run();
  [[nodiscard]] int source_of_run() const noexcept {
    return turn_.phase() == 0 ? turn_.rank() : from_.source();
  }
  /// The next block that came in the last phase. False: these were all.
  bool next_arrived();
  /// Completes a copy. They run one after the other; the first of a phase waits for all that the
  /// phase before did.
  void copy(schedule::step& out, schedule::tape& on);

  mesh_turn turn_;
  bool begins_phase_ = false;
  mesh_turn::share share_;
  destination_walk to_;  ///< phase 0: blocks of the input
  source_walk from_;     ///< later: blocks that have come
  schedule::mark packed_ = schedule::never;

 private:
  bool walking_ = false;
};

}  // namespace upwash::collective::detail
