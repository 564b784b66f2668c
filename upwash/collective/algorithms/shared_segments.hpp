// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: combine all ranks' vectors, for one root or for all, between ranks that share memory.
// Idea: all lay their vectors in shared scratch; each combines one segment of all of them, in rank
// order; the root, or all, copy the segments together. Cost: two rounds; 3 m bytes touched a rank,
// where one round touches P m. Restrictions: shared memory.
// Source: Nishtala et al. 2009, collectives on shared memory; Rabenseifner 2004 for the two halves.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/in_phases.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

enum class shared_segments_phase : std::uint8_t {
  lay_out,
  announce,
  look,
  combine,
  tell,
  wait,
  take,
  end
};

class shared_segments : public detail::in_phases<shared_segments, shared_segments_phase> {
 public:
  static constexpr int all = -1;

  struct call {
    int ranks = 1;
    int rank = 0;
    int root = all;
    std::uint64_t bytes = 0;
    std::uint32_t element_bytes = 1;
    bool in_place = false;
  };

  explicit shared_segments(const call& of) : of_(of) {}

  [[nodiscard]] std::uint32_t window() const noexcept { return 3; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] std::uint64_t shared_bytes() const noexcept {
    return shared_bytes(of_.ranks, of_.bytes, of_.element_bytes);
  }
  [[nodiscard]] std::uint32_t counter_count() const noexcept { return 2; }

  /// The vector, and behind it the segment that its owner combines.
  [[nodiscard]] static std::uint64_t shared_bytes(int ranks, std::uint64_t bytes,
                                                  std::uint32_t element_bytes) noexcept {
    return bytes + segment_bytes(ranks, bytes, element_bytes);
  }

 private:
  friend in_phases;
  using phase = shared_segments_phase;
  enum counter : std::uint32_t { is_there, is_combined };

  [[nodiscard]] static std::uint64_t segment_bytes(int ranks, std::uint64_t bytes,
                                                   std::uint32_t element_bytes) noexcept {
    const auto members = static_cast<std::uint64_t>(ranks);
    return (bytes / element_bytes + members - 1) / members * element_bytes;
  }
  [[nodiscard]] bool takes() const noexcept { return of_.root == all || of_.root == of_.rank; }
  [[nodiscard]] int taken_from() const noexcept;
  /// A member's segment of a vector; the last ones may be empty.
  [[nodiscard]] schedule::piece segment(schedule::buffer of, int member) const noexcept;
  /// What a member has for the segment of this rank.
  [[nodiscard]] schedule::piece operand(int member) const noexcept;
  /// Where a member combines its segment.
  [[nodiscard]] schedule::piece sum(int member) const noexcept;
  bool act(schedule::step& out);
  void combine(schedule::step& out) const;
  void emit(phase of, schedule::step& out, schedule::tape& on);

  call of_;
  int turn_ = 0;
  schedule::mark combined_ = schedule::never;
};

}  // namespace upwash::collective
