// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the exchanges over a grid with combining have in common: whose turn it is, and who holds
// whose data when. In phase k the ranks of a line of dimension k exchange: turn t sends to the
// rank t further and hears from the one t before, at both ends in the same turn, so a window of any
// size makes progress. Before phase k a rank holds the data of its sources for all destinations
// that share its first k coordinates.
#pragma once

#include <array>
#include <cstdint>

#include "upwash/model/grid.hpp"

namespace upwash::collective::detail {

/// Near to a cube, or, where `row` is not 0, of two dimensions, of which the first has that size.
[[nodiscard]] model::grid mesh_grid(int ranks, int dimensions, int row);

/// One rank's place in the exchange.
class mesh_turn {
 public:
  mesh_turn(const model::grid& on, int rank) : on_(on), here_(on.cell_of(rank)), rank_(rank) {}

  [[nodiscard]] const model::grid& on() const noexcept { return on_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int phase() const noexcept { return phase_; }
  [[nodiscard]] bool in_last_phase() const noexcept { return phase_ + 1 == on_.dimensions(); }
  /// In one dimension each message is a block of the input, and comes to its place in the output.
  [[nodiscard]] bool is_direct() const noexcept { return on_.dimensions() == 1; }
  /// In turn 0 a rank keeps what is its own.
  [[nodiscard]] bool is_own() const noexcept { return turn_ == 0; }
  /// The rank's coordinate in the phase; also the number of its own bundle.
  [[nodiscard]] int own_coordinate() const noexcept;
  [[nodiscard]] int coordinate_to() const noexcept;
  [[nodiscard]] int coordinate_from() const noexcept;

  /// To whom this turn's data go; -1: to nobody.
  [[nodiscard]] int peer() const noexcept { return on_.toward(here_, phase_, coordinate_to()); }
  /// Which of the phase's senders is to be heard; -1: none. Besides the rank on the line there may
  /// be one whose target is a hole.
  [[nodiscard]] int arrival(bool for_hole) const noexcept;
  [[nodiscard]] int sender(int index) const noexcept { return on_.sender(here_, phase_, index); }
  [[nodiscard]] int senders() const noexcept { return on_.senders(here_, phase_); }

  /// Of ranks that hear from as many in each phase, in the last slab or below it.
  [[nodiscard]] std::uint32_t rank_class() const noexcept;

  /// The same at both ends, and for alike ranks.
  [[nodiscard]] std::uint32_t edge() const noexcept;
  /// More than any edge.
  [[nodiscard]] std::uint32_t edges() const noexcept;

  /// Of a source's blocks held now, `lead` come before those of this turn, which are `count`.
  struct share {
    int lead = 0;
    int count = 0;
    int of_all = 0;
  };
  [[nodiscard]] share to_send() const noexcept;
  /// Destinations of a source's blocks that come to this rank in the phase.
  [[nodiscard]] int blocks_of_source() const noexcept { return on_.beyond(here_, phase_); }

  /// To the next turn; false: the phase is over, and this is turn 0 again.
  bool next_turn() noexcept;
  void next_phase() noexcept { ++phase_; }

 private:
  model::grid on_;
  model::grid::cell here_;
  int rank_;
  int phase_ = 0;
  int turn_ = 0;
};

/// Steps of such an exchange wait for one of the last few; the rest is room for messages to
/// overlap.
[[nodiscard]] std::uint32_t exchange_window(int ranks) noexcept;

/// How many sources' data a rank holds before a phase. O(1) for phases 0 and 1 and on full grids,
/// else O(product of the sizes 1 to phase - 1).
[[nodiscard]] int sources(const model::grid& on, int phase, int holder) noexcept;
/// No rank holds more; O(phase).
[[nodiscard]] std::uint64_t most_sources(const model::grid& on, int phase) noexcept;

/// The sources whose data a rank holds before a phase, by bundle (the message they came in). On
/// full grids in the order of ranks. O(1) a step, on average.
class source_walk {
 public:
  source_walk() = default;
  source_walk(const model::grid& on, int phase, int holder) noexcept;

  [[nodiscard]] int source() const noexcept { return holders_[0]; }
  [[nodiscard]] int bundle() const noexcept {
    return depth_ == 0 ? 0 : indices_[static_cast<std::size_t>(depth_ - 1)];
  }
  [[nodiscard]] int within() const noexcept { return within_; }  ///< number in its bundle

  /// False: there are no more.
  bool next(const model::grid& on) noexcept;
  bool next_bundle(const model::grid& on) noexcept;

 private:
  bool step(const model::grid& on, int level) noexcept;
  void descend(const model::grid& on, int level) noexcept;

  /// holders_[k]: who held the source's data before phase k, as sender indices_[k] of the next.
  std::array<int, model::grid::most_dimensions + 1> holders_{};
  std::array<int, model::grid::most_dimensions> indices_{};
  int depth_ = 0;
  int within_ = 0;
};

/// The sources of what came in the last phase, as source_walk; the rank's own bundle did not come.
class arrived_walk {
 public:
  /// The turn outlives it.
  explicit arrived_walk(const mesh_turn& turn) noexcept
      : turn_(turn), at_(turn.on(), turn.on().dimensions(), turn.rank()) {
    pass_over_own();
  }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] int source() const noexcept { return at_.source(); }
  [[nodiscard]] int bundle() const noexcept { return at_.bundle(); }
  [[nodiscard]] int within() const noexcept { return at_.within(); }
  void next() noexcept {
    ended_ = !at_.next(turn_.on());
    pass_over_own();
  }

 private:
  void pass_over_own() noexcept {
    if (ended_ || at_.bundle() != turn_.own_coordinate()) return;
    ended_ = !at_.next_bundle(turn_.on());
  }

  const mesh_turn& turn_;
  source_walk at_;
  bool ended_ = false;
};

/// The ranks that have a first coordinate, the last coordinate running fastest: the order of a
/// source's blocks.
class destination_walk {
 public:
  destination_walk() = default;
  explicit destination_walk(int first_coordinate) noexcept : at_{first_coordinate} {}

  [[nodiscard]] int destination(const model::grid& on) const noexcept { return on.rank_of(at_); }
  bool next(const model::grid& on) noexcept;

 private:
  model::grid::cell at_{};
};

}  // namespace upwash::collective::detail
