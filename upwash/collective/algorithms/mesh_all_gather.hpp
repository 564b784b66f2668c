// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. Idea: in phase d a rank of a grid sends all it holds, in
// one message, to each rank of its line; ranks below holes stand in for them. Cost: 2 (sqrt P - 1)
// messages in two dimensions, 3 (cbrt P - 1) in three; (P-1) m bytes a rank; copies only where
// there are holes, to combine messages, up to P m bytes a phase. Any P. Source: Kumar 2005, 3.1.1
// and 3.1.2, equations 3.3, 3.5, 3.7 and 3.9.
#pragma once

#include <array>
#include <cstdint>

#include "upwash/collective/algorithms/detail/mesh_turn.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class mesh_all_gather {
 public:
  /// `bytes` a block; of small teams fewer dimensions (grid::near_cube). In place: the rank's own
  /// block is in the output already.
  mesh_all_gather(int ranks, int rank, std::uint64_t bytes, int dimensions, bool in_place)
      : turn_(model::grid::near_cube(ranks, dimensions), rank),
        bytes_(bytes),
        in_place_(in_place) {}

  bool next(schedule::step& out, schedule::tape& on);
  /// Steps wait for one of the last few; the rest is room for messages to overlap.
  [[nodiscard]] std::uint32_t window() const noexcept { return 64; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept;
  [[nodiscard]] bool alike() const noexcept { return turn_.on().full(); }

 private:
  enum class part : std::uint8_t { gather, send, receive, receive_for_hole, unpack, end };
  /// Each send waits for that so many before; the first ones for their message to be complete.
  static constexpr std::uint32_t most_sends = 8;

  bool gather(schedule::step& out, schedule::tape& on);
  bool combine(schedule::step& out);
  bool send(schedule::step& out, schedule::tape& on);
  bool receive(schedule::step& out, schedule::tape& on, bool for_hole);
  bool unpack(schedule::step& out, schedule::tape& on);
  void begin_turns();
  void next_turn();

  [[nodiscard]] schedule::piece own_block() const noexcept;
  /// What a rank sends in this phase; with holes: the bundle of a sender, in scratch.
  [[nodiscard]] schedule::piece held(int rank) const noexcept;
  [[nodiscard]] schedule::piece bundle(int sender, std::uint64_t bytes) const noexcept;
  [[nodiscard]] std::uint64_t bundle_room() const noexcept;

  detail::mesh_turn turn_;
  std::uint64_t bytes_;
  bool in_place_;
  part part_ = part::gather;
  /// Scratch, with holes only: the bundles of each phase, the rank's own among them.
  std::uint64_t before_at_ = 0;    ///< those of the phase before
  std::uint64_t before_room_ = 0;  ///< of each
  std::uint64_t bundles_at_ = 0;   ///< those of this phase
  std::uint64_t combined_ = 0;     ///< bytes of the rank's own bundle that are there
  int index_ = 0;                  ///< of the bundle to combine next
  bool begins_ = true;
  bool walking_ = false;
  detail::source_walk from_;
  std::uint32_t sends_ = 0;
  schedule::mark complete_ = schedule::never;
  std::array<schedule::mark, most_sends> sent_{};
};

}  // namespace upwash::collective
