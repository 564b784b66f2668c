// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one schedule that runs every plan.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upwash/neighborhood/relay/relay_plan.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/step.hpp"

namespace upwash::neighborhoods {

/// A plan with lengths: where each block lies. Own blocks lie in the input, blocks of sources in
/// the output, what only passes through in scratch, and messages of several blocks are put together
/// there. Immutable once made; schedules refer to it.
class laid_out_plan {
 public:
  /// All blocks of so many bytes, one behind the other in input and output. `plan` outlives it.
  /// `node_scratch`: the memory that ranks of a node share for a call, the same at all ranks; what
  /// a plan hands over there travels in messages where that is not enough.
  laid_out_plan(const relay_plan& plan, std::uint64_t bytes, std::uint64_t node_scratch = 0);

  /// Blocks of different lengths. `slot_bytes`: by slot; `inputs`, `outputs`: where the own blocks
  /// and those of the sources begin, in bytes.
  struct uneven {
    std::span<const std::uint64_t> slot_bytes;
    std::span<const std::uint64_t> inputs;
    std::span<const std::uint64_t> outputs;
  };
  laid_out_plan(const relay_plan& plan, const uneven& lengths);

  /// The schedule; a plan for shared memory takes so much of it where that is enough (the same at
  /// all ranks), else blocks are read from their owners' buffers. This object outlives it.
  [[nodiscard]] schedule::generator steps(std::uint64_t shared_scratch) const;
  /// By messages, and what is handed over inside nodes. Blocks of different lengths travel in
  /// messages only: nobody knows how much shared memory others need.
  [[nodiscard]] schedule::generator steps_by_messages() const;

  [[nodiscard]] const relay_plan& plan() const noexcept { return plan_; }
  [[nodiscard]] schedule::piece slot(std::uint32_t number) const;
  [[nodiscard]] schedule::piece output_of(std::uint32_t source) const;
  [[nodiscard]] std::uint64_t slot_bytes(std::uint32_t number) const {
    return lengths_.empty() ? bytes_ : lengths_[number];
  }
  /// Where a message lies: in one piece as its blocks do, else where they are put together.
  [[nodiscard]] schedule::piece piece_of(std::size_t send) const;
  [[nodiscard]] bool is_packed(std::size_t send) const;
  /// Whether ranks of a node hand over blocks in shared memory.
  [[nodiscard]] bool inside_nodes() const noexcept { return inside_nodes_; }
  /// Where others of the node read a block of this rank.
  [[nodiscard]] schedule::piece place_of(std::uint32_t slot) const;
  /// In shared memory: all own blocks, and one that comes, where its owner has it.
  [[nodiscard]] schedule::piece own_blocks() const;
  [[nodiscard]] schedule::piece block_there(std::uint32_t slot, int owner,
                                            schedule::buffer of) const;
  /// Where a message lands: of one block that goes no further in the output, else in scratch.
  [[nodiscard]] schedule::piece piece_for(const relay_plan::message& received) const;

 private:
  void lay_out();
  [[nodiscard]] bool in_one_piece(const relay_plan::message& sent) const;
  [[nodiscard]] std::uint32_t most_steps_of_a_round() const;

  const relay_plan& plan_;
  std::uint64_t bytes_ = 0;
  bool inside_nodes_ = false;
  std::vector<std::uint64_t>
      lengths_;  ///< empty: all alike; these three by slot, own block, source
  std::vector<std::uint64_t> inputs_;
  std::vector<std::uint64_t> outputs_;
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  std::vector<std::uint64_t> scratch_at_;  ///< by slot that came; `nowhere`: in the output
  std::vector<std::uint64_t> packed_at_;   ///< by send; `nowhere`: as its blocks lie
  std::vector<int> holder_of_;             ///< by slot: who lays it out; empty: messages only
  std::vector<std::uint32_t> source_of_;   ///< by slot: a source whose block it is
  std::vector<std::uint32_t> slot_of_;     ///< by source; lengths all alike: empty
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace upwash::neighborhoods
