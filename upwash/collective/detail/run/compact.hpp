// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules whose steps can run one after the other on the board of their team: edges that fit its
// lines, counters, shared scratch, and copies out of peers' buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "upwash/collective/detail/run/board.hpp"
#include "upwash/collective/detail/run/written_down.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective::detail {

/// A piece as a compact step has it; its bytes are the step's.
struct compact_piece {
  schedule::buffer of = schedule::buffer::none;
  int owner = 0;  ///< member
  std::uint64_t at = 0;
};

/// A step that runs on the team's board, in its turn: everything looked up.
struct compact_step {
  schedule::step_kind kind = schedule::step_kind::copy;
  bool fetches = false;  ///< a copy: `left` is a peer's buffer
  std::uint32_t edge = 0;
  std::uint64_t bytes = 0;
  compact_piece left;
  compact_piece right;
  compact_piece into;
  std::uint64_t value = 0;
  board::place* places = nullptr;  ///< of the peer; of this rank for a receive
};

/// The member at its other end; -1: it has none, as an await, or works on own memory.
[[nodiscard]] int peer_of(const compact_step& s, int self) noexcept;

/// A schedule that runs on the team's board, in order, on the caller's stack.
struct compact_plan {
  std::shared_ptr<const std::vector<compact_step>> steps;  ///< shared by operations under way
  int looks = 0;  ///< at a word before more is done: job::looks
  std::uint64_t scratch_bytes = 0;
  std::uint64_t shared_bytes = 0;
  std::uint32_t note_bytes = 0;  ///< board::note_for
  bool exposes_input = false;
  bool exposes_output = false;
  const char* operation = "";  ///< for those who wait long, and traces
  const char* algorithm = "";
  std::uint64_t bytes = 0;
  int runs = 0;  ///< that go through it now: it is kept for them
};

/// Whether a board with so much scratch has what the schedule needs and all its steps can run on
/// it. O(steps).
[[nodiscard]] bool fits_board(const schedule::generator& steps, int ranks, int rank,
                              std::uint64_t scratch_bytes);

/// The steps, if they can; else none.
[[nodiscard]] std::optional<std::vector<compact_step>> compact_steps(
    const schedule::generator& steps, int ranks, int rank, board& shared);

/// Performs a step of one among these members, and writes it down.
template <class Perform>
void write_step(observe::trace_writer& into, const team& among, const compact_step& s,
                const traced_collective& of, const Perform& perform) {
  const duration begin = among.here().now();
  perform();
  const int peer = peer_of(s, among.rank());
  write_down(into, {to_string(s.kind).data(), s.bytes, peer < 0 ? -1 : among.world_rank(peer)}, of,
             begin, among.here().now());
}

}  // namespace upwash::collective::detail
