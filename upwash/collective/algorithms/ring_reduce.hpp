// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, at the root, long ones. Idea: each of P blocks
// travels round the ring and is combined on its way; where it ends it is sent to the root. Cost: P
// messages of about n/P bytes a rank, so n bytes whatever P (a tree: n for each child); the root
// receives 2n. Restrictions: commutative operators. Source: as Rabenseifner 2004, reduce-scatter
// and gather, with the ring of Patarasuk and Yuan 2009.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class ring_reduce {
 public:
  /// `elements` of `element_bytes` each at every rank; any number, also fewer than ranks.
  /// `in_place`: at the root the result may lie where the input does, so that it has sent its own
  /// block before another comes there. The same at all ranks.
  ring_reduce(int ranks, int rank, int root, std::uint64_t elements, std::uint64_t element_bytes,
              bool in_place = false)
      : ranks_(ranks),
        root_(root),
        position_(static_cast<int>((std::int64_t{rank} - root + ranks) % ranks)),
        elements_(elements),
        element_bytes_(element_bytes),
        in_place_(in_place) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 4; }
  /// Two blocks: one comes and is combined while the other goes.
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 2 * largest_block(); }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class phase : std::uint8_t { send, receive, combine, gather, end };

  [[nodiscard]] std::uint64_t largest_block() const noexcept;
  /// The block `b` (any number, taken modulo P).
  [[nodiscard]] schedule::piece block(std::int64_t b, schedule::buffer of) const noexcept;
  [[nodiscard]] schedule::piece slot(int turn, std::uint64_t bytes) const noexcept;
  [[nodiscard]] int rank_of(std::int64_t position) const noexcept {
    return static_cast<int>((position + root_) % ranks_);
  }
  void keep(schedule::step& out, schedule::tape& on);
  void take_turn(schedule::step& out, schedule::tape& on);
  void gather(schedule::step& out, schedule::tape& on);

  int ranks_;
  int root_;
  int position_;  ///< counted from the root on
  std::uint64_t elements_;
  std::uint64_t element_bytes_;
  bool in_place_;
  phase phase_ = phase::send;
  int turn_ = 0;
  int gathered_ = 0;                              ///< blocks, by the root
  schedule::mark combined_ = schedule::never;     ///< what goes next
  schedule::mark sent_ = schedule::never;         ///< this turn
  schedule::mark sent_before_ = schedule::never;  ///< the turn before
};

}  // namespace upwash::collective
