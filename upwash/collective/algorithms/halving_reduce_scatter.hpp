// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: block i of the combination of all ranks' vectors, at rank i. Idea: exchange halves of
// what is left with the vertex at the other half of the cube, and combine; ranks beyond the cube
// work through a vertex. Cost: log2 P messages, (P-1) m bytes a rank; one or two of up to P m bytes
// more beyond the cube. Restrictions: commutative operators. Any P. Source: Thakur, Rabenseifner
// and Gropp 2005, recursive halving.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/folded_cube.hpp"
#include "upwash/collective/algorithms/detail/in_rounds.hpp"

namespace upwash::collective {

class halving_reduce_scatter : public detail::in_rounds<halving_reduce_scatter, 4> {
 public:
  /// The input holds P blocks of `bytes`, the output one.
  halving_reduce_scatter(int ranks, int rank, std::uint64_t bytes);

  [[nodiscard]] std::uint32_t window() const noexcept { return 8; }
  /// What is combined, and two messages: one arrives while the other is combined.
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept;
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return cube_.folded() == 0; }

 private:
  friend class detail::in_rounds<halving_reduce_scatter, 4>;
  [[nodiscard]] int rounds() const noexcept {
    return ranks_ == 1 ? 1 : folds() + cube_.dimensions() + folds();
  }
  detail::emitted act(int part, schedule::step& out, schedule::tape& on);
  detail::emitted act_folded(int part, schedule::step& out, schedule::tape& on);
  detail::emitted fold_out(int part, schedule::step& out, schedule::tape& on);
  void exchange(int part, int stage, schedule::step& out, schedule::tape& on);

  [[nodiscard]] int folds() const noexcept { return cube_.folded() == 0 ? 0 : 1; }
  [[nodiscard]] std::uint64_t all_bytes() const noexcept;
  [[nodiscard]] std::uint64_t room() const noexcept;
  /// Blocks that a vertex still works on before a stage, in the buffer that has them.
  [[nodiscard]] schedule::piece left_to(int vertex, int stage) const noexcept;

  detail::folded_cube cube_;
  int ranks_;
  int rank_;
  int vertex_;
  std::uint64_t bytes_;
  bool combined_ = false;  ///< what there is lies in scratch, no more in the input
  schedule::mark value_ = schedule::never;
  schedule::mark received_ = schedule::never;
  schedule::mark free_[2] = {schedule::never, schedule::never};  ///< scratch, by parity
};

}  // namespace upwash::collective
