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

/// A plan with lengths and offsets of blocks. Own blocks lie in the input, blocks of sources in the
/// output, and forwarded blocks in scratch, in which messages of several blocks are also assembled.
/// Immutable; schedules refer to it.
class laid_out_plan {
 public:
  /// Lays out blocks of `bytes` bytes each, one after the other in input and output. `plan`
  /// outlives the object. `node_scratch`: the memory that the ranks of a node share for a call, the
  /// same at all ranks. If it is too small, blocks for it travel in messages.
  laid_out_plan(const relay_plan& plan, std::uint64_t bytes, std::uint64_t node_scratch = 0);

  /// Blocks of different lengths. `slot_bytes`: by slot. `inputs` and `outputs`: offsets of the own
  /// blocks and of those of the sources, in bytes.
  struct uneven {
    std::span<const std::uint64_t> slot_bytes;
    std::span<const std::uint64_t> inputs;
    std::span<const std::uint64_t> outputs;
  };
  laid_out_plan(const relay_plan& plan, const uneven& lengths);

  /// Returns the schedule. A plan for shared memory uses `shared_scratch` bytes of it if that is
  /// enough (the same at all ranks); otherwise blocks are read from their owners' buffers. This
  /// object outlives the schedule.
  [[nodiscard]] schedule::generator steps(std::uint64_t shared_scratch) const;
  /// Returns the schedule with messages, and with shared memory inside nodes. Blocks of different
  /// lengths travel only in messages, because no rank knows the shared memory that others need.
  [[nodiscard]] schedule::generator steps_by_messages() const;

  [[nodiscard]] const relay_plan& plan() const noexcept { return plan_; }
  [[nodiscard]] schedule::piece slot(std::uint32_t number) const;
  [[nodiscard]] schedule::piece output_of(std::uint32_t source) const;
  [[nodiscard]] std::uint64_t slot_bytes(std::uint32_t number) const {
    return lengths_.empty() ? bytes_ : lengths_[number];
  }
  /// Returns the position of a message: that of its blocks if they are contiguous, otherwise that
  /// of its assembly.
  [[nodiscard]] schedule::piece piece_of(std::size_t send) const;
  [[nodiscard]] bool is_packed(std::size_t send) const;
  /// Returns whether the ranks of a node pass blocks on in shared memory.
  [[nodiscard]] bool inside_nodes() const noexcept { return inside_nodes_; }
  /// Returns the position at which other ranks of the node read a block of this rank.
  [[nodiscard]] schedule::piece place_of(std::uint32_t slot) const;
  /// Positions in shared memory: all own blocks, and an arriving block at its owner.
  [[nodiscard]] schedule::piece own_blocks() const;
  [[nodiscard]] schedule::piece block_there(std::uint32_t slot, int owner,
                                            schedule::buffer of) const;
  /// Returns the destination of a message: the output for one block that is not forwarded,
  /// otherwise scratch.
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
  std::vector<std::uint64_t> scratch_at_;  ///< by arrived slot; `nowhere`: in the output
  std::vector<std::uint64_t> packed_at_;   ///< by send; `nowhere`: not assembled
  std::vector<int> holder_of_;  ///< by slot: the rank that lays it out; empty: messages only
  std::vector<std::uint32_t> source_of_;  ///< by slot: a source of the block
  std::vector<std::uint32_t> slot_of_;    ///< by source; empty if all lengths are equal
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace upwash::neighborhoods
