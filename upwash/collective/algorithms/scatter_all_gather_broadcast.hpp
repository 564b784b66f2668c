// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's bytes at all ranks, long ones. Idea: cut them into P blocks, scatter those
// down a k-nomial tree, then send blocks round a ring; nobody gets again what its subtree had.
// Cost: a rank sends and receives less than 2n bytes whatever P, in at most depth + P - 1 messages
// one behind the other. Restrictions: none. Source: Barnett et al. 1994; Thakur, Rabenseifner and
// Gropp 2005.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

class scatter_all_gather_broadcast {
 public:
  /// `shape` of the scatter.
  scatter_all_gather_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                               const model::tree_shape& shape, bool in_place);

  bool next(schedule::step& out, schedule::tape& on);
  /// A turn has two steps; a receive waits for that of two turns before.
  [[nodiscard]] std::uint32_t window() const noexcept { return schedule::milestone::reach + 4; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class phase : std::uint8_t { begin, scatter, pass, take };

  [[nodiscard]] schedule::piece blocks(std::int64_t first, std::int64_t count) const noexcept;
  bool begin(schedule::step& out, schedule::tape& on);
  void send(schedule::step& out, schedule::tape& on, int to, const schedule::piece& what);
  bool scatter(schedule::step& out, schedule::tape& on);
  bool pass(schedule::step& out, schedule::tape& on);
  bool take(schedule::step& out, schedule::tape& on);

  model::tree_place tree_;
  std::uint64_t bytes_;
  bool in_place_;
  phase phase_ = phase::begin;
  int children_left_;
  int turn_ = 0;
  int passes_;                                                    ///< blocks to the next rank
  int takes_;                                                     ///< blocks from the one before
  schedule::milestone have_;                                      ///< what goes next is here
  schedule::mark taken_[2] = {schedule::never, schedule::never};  ///< by parity of turns
};

}  // namespace upwash::collective
