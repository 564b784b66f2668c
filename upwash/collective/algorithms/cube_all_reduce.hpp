// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, at all ranks. Idea: in stage i combine with the
// vertex whose number differs in bit i, whole vectors or by halves, which are gathered back at the
// end; ranks beyond the cube work through a vertex. Cost: log2 P messages of n bytes, or 2 log2 P
// of 2 n (P-1)/P together; one or two of n bytes more beyond the cube. Neighbours combine first:
// the operator need not commute. Any P. Source: Thakur, Rabenseifner and Gropp 2005.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/folded_cube.hpp"
#include "upwash/collective/algorithms/detail/in_rounds.hpp"

namespace upwash::collective {

class cube_all_reduce : public detail::in_rounds<cube_all_reduce, 4> {
 public:
  enum class exchanges : std::uint8_t { whole_vectors, halves };

  /// `elements` of `element_bytes` each at every rank; any number, also fewer than ranks.
  cube_all_reduce(int ranks, int rank, std::uint64_t elements, std::uint64_t element_bytes,
                  exchanges what, bool in_place);

  [[nodiscard]] std::uint32_t window() const noexcept { return 8; }
  /// Two messages: one arrives while the other is combined.
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 2 * room(); }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  /// But for halves that are an element longer than others.
  [[nodiscard]] bool alike() const noexcept { return cube_.folded() == 0; }

 private:
  friend class detail::in_rounds<cube_all_reduce, 4>;
  [[nodiscard]] int rounds() const noexcept {
    return cube_.dimensions() == 0 ? 1 : folds() + stages() + folds();
  }
  detail::emitted act(int part, schedule::step& out, schedule::tape& on);
  detail::emitted act_folded(int part, schedule::step& out, schedule::tape& on);
  detail::emitted fold_in(int part, schedule::step& out, schedule::tape& on);
  detail::emitted fold_out(int part, schedule::step& out, schedule::tape& on);
  detail::emitted combine(int part, int level, schedule::step& out, schedule::tape& on);
  detail::emitted gather(int part, int level, schedule::step& out, schedule::tape& on);

  void send(schedule::step& out, schedule::tape& on, int peer, const schedule::piece& what);
  void receive_to_combine(schedule::step& out, schedule::tape& on, int peer, std::uint64_t bytes);
  void reduce(schedule::step& out, schedule::tape& on, const schedule::piece& what, bool from_left);

  [[nodiscard]] int folds() const noexcept { return cube_.folded() == 0 ? 0 : 1; }
  [[nodiscard]] int stages() const noexcept;
  [[nodiscard]] std::uint64_t room() const noexcept;
  [[nodiscard]] schedule::piece all() const noexcept;
  /// What a vertex combines at a level: it halves from level to level, or stays.
  [[nodiscard]] schedule::piece share(int vertex, int level) const noexcept;

  detail::folded_cube cube_;
  int rank_;
  int vertex_;
  std::uint64_t elements_;
  std::uint64_t element_bytes_;
  exchanges what_;
  bool in_place_;
  schedule::mark value_ = schedule::never;  ///< what is combined so far is in the output
  schedule::mark sent_ = schedule::never;   ///< in this round
  schedule::mark received_ = schedule::never;
  schedule::mark free_[2] = {schedule::never, schedule::never};  ///< scratch, by parity
};

}  // namespace upwash::collective
