// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where operations lie, and the memory that they work in.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "upwash/collective/detail/run/operation.hpp"

namespace upwash::collective::detail {

/// An operation and its room. Whoever has it owns both.
struct operation_block {
  operation_room room;
  std::optional<operation> is;
};

/// Makes operations in the blocks of those that are over. Owns the spare blocks, at most 64 and
/// with at most 1 MiB of scratch in all, and the store of slots. A rank has one.
class operation_store {
 public:
  [[nodiscard]] slot_store& slots() noexcept { return slots_; }

  /// The next operation on the team, not begun yet.
  [[nodiscard]] std::unique_ptr<operation_block> make(const team& on, team_record& record,
                                                      const schedule::generator& steps,
                                                      const binding& buffers, const manner& how);
  /// The operation is over: destroys it, and keeps its room.
  void give_back(std::unique_ptr<operation_block> over);

 private:
  static constexpr std::size_t most_spare = 64;
  static constexpr std::size_t most_scratch_bytes = std::size_t{1} << 20U;

  slot_store slots_;  // before the blocks, whose operations give back to it
  std::vector<std::unique_ptr<operation_block>> spare_;
  std::size_t scratch_bytes_ = 0;  ///< of the spare blocks
};

}  // namespace upwash::collective::detail
