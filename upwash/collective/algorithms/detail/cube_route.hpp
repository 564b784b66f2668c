// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The way of items over a hypercube, as grid_route has it for grids: a phase a dimension, from the
// highest down. Of a team beyond a cube the folded ranks hand all they have to their vertex in a
// phase before, and hear from it in a phase behind.
#pragma once

#include "upwash/collective/algorithms/detail/folded_cube.hpp"

namespace upwash::collective::detail {

class cube_route {
 public:
  cube_route(int ranks, int rank)
      : cube_(ranks), ranks_(ranks), rank_(rank), vertex_(cube_.vertex_of(rank)) {}

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int phase() const noexcept { return phase_; }
  /// Target 0 is the rank itself, 1 the other.
  [[nodiscard]] int targets() const noexcept { return 2; }
  [[nodiscard]] int own_target() const noexcept { return 0; }
  [[nodiscard]] int target_of(int destination) const noexcept {
    if (folds_in()) return is_folded() && destination != rank_ ? 1 : 0;
    if (folds_out()) return destination != rank_ && !is_folded() ? 1 : 0;
    return !is_folded() && ((cube_.vertex_of(destination) ^ vertex_) & bit()) != 0 ? 1 : 0;
  }

  [[nodiscard]] int senders() const noexcept { return 2; }
  [[nodiscard]] int own_sender() const noexcept { return 0; }
  /// The other one of the phase, where there is one.
  [[nodiscard]] int sender(int /*number*/) const noexcept {
    if (folds_in() || folds_out()) return is_folded() ? rank_ - 1 : rank_ + 1;
    return cube_.rank_of(vertex_ ^ bit());
  }

  [[nodiscard]] int target() const noexcept { return turn_; }
  [[nodiscard]] int peer() const noexcept {
    const bool sends = folds_in() ? is_folded() : folds_out() ? has_folded() : crosses();
    return turn_ == 1 && sends ? sender(1) : -1;
  }
  [[nodiscard]] int arrival(bool second) const noexcept {
    const bool hears = folds_in() ? has_folded() : folds_out() ? is_folded() : crosses();
    return turn_ == 1 && !second && hears ? 1 : -1;
  }

  [[nodiscard]] std::uint32_t edge() const noexcept { return static_cast<std::uint32_t>(phase_); }
  [[nodiscard]] std::uint32_t edges() const noexcept {
    return static_cast<std::uint32_t>(phases());
  }
  bool next_turn() noexcept {
    turn_ = 1 - turn_;
    return turn_ == 1;
  }
  bool next_phase() noexcept { return ++phase_ < phases(); }

 private:
  [[nodiscard]] int folds() const noexcept { return cube_.folded() == 0 ? 0 : 1; }
  [[nodiscard]] int phases() const noexcept { return cube_.dimensions() + 2 * folds(); }
  [[nodiscard]] bool folds_in() const noexcept { return folds() == 1 && phase_ == 0; }
  [[nodiscard]] bool folds_out() const noexcept { return folds() == 1 && phase_ + 1 == phases(); }
  [[nodiscard]] bool is_folded() const noexcept { return cube_.is_folded(rank_); }
  [[nodiscard]] bool has_folded() const noexcept {
    return !is_folded() && cube_.has_folded(vertex_);
  }
  [[nodiscard]] bool crosses() const noexcept { return !is_folded() && bit() != 0; }
  /// Of the phase's dimension; 0 on a single rank.
  [[nodiscard]] int bit() const noexcept {
    const int dimension = cube_.dimensions() - 1 - (phase_ - folds());
    return dimension < 0 ? 0 : 1 << dimension;
  }

  folded_cube cube_;
  int ranks_;
  int rank_;
  int vertex_;
  int phase_ = 0;
  int turn_ = 0;
};

}  // namespace upwash::collective::detail
