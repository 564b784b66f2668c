// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of long vectors at all ranks. Idea: each combines one segment of all,
// in rank order, out of their owners' buffers, in pieces that stay in the cache; then all copy the
// segments. Cost: two rounds; 2 m bytes copied and m combined a rank. Restrictions: shared memory.
// Source: Rabenseifner 2004 for the two halves; Jin et al. 2005 for copies out of peers' buffers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upwash/collective/algorithms/detail/in_phases.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

enum class peer_segments_phase : std::uint8_t {
  announce,
  look,
  fetch,
  combine,
  tell,
  wait,
  take,
  thank,
  leave,
  end
};

class peer_segments : public detail::in_phases<peer_segments, peer_segments_phase> {
 public:
  struct call {
    int ranks = 1;
    int rank = 0;
    std::uint64_t bytes = 0;
    std::uint32_t element_bytes = 1;
    std::uint64_t piece_bytes = 0;  ///< fetched at a time; rounded to whole elements
    bool in_place = false;
    /// What comes out of a peer's buffer counts so many times: to be priced, never to be run.
    std::uint64_t fetch_weight = 1;
  };

  explicit peer_segments(const call& of);

  /// Each step waits for the one before: a processor does one at a time anyway.
  [[nodiscard]] std::uint32_t window() const noexcept { return 1; }
  /// What is combined so far of a piece, and a peer's.
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept {
    return of_.ranks == 1 ? 0 : 2 * std::min(of_.piece_bytes, segment_of(of_.rank).bytes);
  }
  [[nodiscard]] std::uint32_t counter_count() const noexcept { return 2; }
  [[nodiscard]] bool exposes_input() const noexcept { return !of_.in_place; }
  [[nodiscard]] bool exposes_output() const noexcept { return true; }

 private:
  friend in_phases;
  using phase = peer_segments_phase;
  /// The first counts what this rank has done: 1, it has entered; 2, its segment is combined.
  enum counter : std::uint32_t { done, was_read };

  /// A member's segment of the output; the last ones may be empty.
  [[nodiscard]] schedule::piece segment_of(int member) const noexcept;
  /// The piece of a member's segment that is combined or taken now, in a buffer of this rank.
  [[nodiscard]] schedule::piece piece_in(schedule::buffer of, int member) const noexcept;
  [[nodiscard]] schedule::piece own_piece(schedule::buffer of) const noexcept {
    return piece_in(of, of_.rank);
  }
  [[nodiscard]] schedule::piece combined() const noexcept;
  [[nodiscard]] schedule::piece fetched() const noexcept;
  [[nodiscard]] schedule::buffer contributions() const noexcept {
    return of_.in_place ? schedule::buffer::output : schedule::buffer::input;
  }
  [[nodiscard]] int next_member() const noexcept;

  bool act(schedule::step& out);
  bool look(schedule::step& out);
  bool fetch(schedule::step& out);
  bool combine(schedule::step& out);
  bool take(schedule::step& out);
  void emit(phase of, schedule::step& out, schedule::tape& on);

  call of_;
  std::uint64_t at_ = 0;  ///< of the piece in the segment
  int turn_ = 0;
};

}  // namespace upwash::collective
