// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. Idea: in stage i exchange all there is with the vertex
// that differs in bit i; in the last zeta dimensions send it to all of the subcube at once; ranks
// beyond the cube work through a vertex. Cost: log2 P - zeta + 2^zeta - 1 messages, (P-1) m bytes a
// rank, not copied; beyond a cube up to 2 (P-1) m, and a message of P m bytes more. Any P. Source:
// Kumar 2005, 3.1.3 and 3.1.5, equations 3.11, 3.13 and 3.16.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/folded_cube.hpp"
#include "upwash/collective/algorithms/detail/in_rounds.hpp"

namespace upwash::collective {

class hypercube_all_gather : public detail::in_rounds<hypercube_all_gather, 3> {
 public:
  static constexpr int most_direct = 6;

  /// `bytes` a block; `zeta` 0 to `most_direct`, at most all dimensions. In place: the rank's own
  /// block is in the output already.
  hypercube_all_gather(int ranks, int rank, std::uint64_t bytes, int zeta, bool in_place);

  [[nodiscard]] std::uint32_t window() const noexcept { return 4 + (2U << zeta_); }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return cube_.folded() == 0; }

 private:
  friend class detail::in_rounds<hypercube_all_gather, 3>;
  [[nodiscard]] int rounds() const noexcept {
    return ranks_ == 1 ? 1 : folds_in() + stages() + folds_in();
  }
  detail::emitted act(int part, schedule::step& out, schedule::tape& on);
  detail::emitted act_folded(int part, schedule::step& out, schedule::tape& on);
  void send(schedule::step& out, schedule::tape& on, int peer, const schedule::piece& left);
  void receive(schedule::step& out, schedule::tape& on, int peer, const schedule::piece& into);

  [[nodiscard]] int folds_in() const noexcept { return cube_.folded() == 0 ? 0 : 1; }
  [[nodiscard]] int combining() const noexcept { return cube_.dimensions() - zeta_; }
  [[nodiscard]] int stages() const noexcept { return combining() + (1 << zeta_) - 1; }
  [[nodiscard]] int partner(int stage) const noexcept;
  [[nodiscard]] schedule::piece blocks(int first, int behind) const noexcept;
  /// What a vertex holds before a stage.
  [[nodiscard]] schedule::piece held(int vertex, int stage) const noexcept;

  detail::folded_cube cube_;
  int ranks_;
  int rank_;
  int vertex_;
  int zeta_;
  std::uint64_t bytes_;
  bool in_place_;
  schedule::mark came_ = schedule::never;  ///< all emitted before has come, too
  schedule::mark held_ = schedule::never;  ///< what is sent in this stage is here
};

}  // namespace upwash::collective
