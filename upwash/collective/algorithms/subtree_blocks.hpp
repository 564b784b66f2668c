// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the blocks of a subtree lie among those of all ranks: one behind the other, but for a
// subtree that goes on behind the last rank with rank 0. For what a root scatters or gathers.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/step.hpp"

namespace upwash::collective {

/// The blocks of consecutive positions, as seen from the root: one part or two.
class subtree_blocks {
 public:
  subtree_blocks(const model::tree_place& of, int position, int size, std::uint64_t bytes)
      : first_(of.rank_of(position)),
        before_end_(first_ + std::int64_t{size} > of.ranks() ? of.ranks() - first_ : size),
        size_(size),
        bytes_(bytes) {}

  [[nodiscard]] bool in_two() const noexcept { return before_end_ != size_; }
  /// At the root.
  [[nodiscard]] schedule::piece part(bool second, schedule::buffer of) const noexcept {
    return second ? blocks(of, 0, size_ - before_end_) : blocks(of, first_, before_end_);
  }
  /// In the scratch of the child, which has them by position.
  [[nodiscard]] schedule::piece part_at_child(bool second) const noexcept {
    constexpr auto scratch = schedule::buffer::scratch;
    return second ? blocks(scratch, before_end_, size_ - before_end_)
                  : blocks(scratch, 0, before_end_);
  }

 private:
  [[nodiscard]] schedule::piece blocks(schedule::buffer of, int first, int count) const noexcept {
    return {of, static_cast<std::uint64_t>(first) * bytes_,
            static_cast<std::uint64_t>(count) * bytes_};
  }

  int first_;
  int before_end_;
  int size_;
  std::uint64_t bytes_;
};

}  // namespace upwash::collective
