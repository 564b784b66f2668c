// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The members of a team: arithmetic if they are regular (O(1) memory), a list otherwise.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace upwash::detail {

class rank_map {
 public:
  rank_map() = default;
  rank_map(int first, int stride, int count) : first_(first), stride_(stride), count_(count) {}

  /// Makes a map of world ranks in team order. Kept as a list only if no stride describes the
  /// ranks. The ranks are distinct (checked by the caller).
  static rank_map of(std::span<const int> world_ranks);

  [[nodiscard]] int size() const noexcept { return count_; }
  [[nodiscard]] int world_rank(int member) const noexcept {
    return list_.empty() ? first_ + member * stride_ : list_[static_cast<std::size_t>(member)];
  }
  // For frequent queries: listed() is null if first and stride suffice.
  [[nodiscard]] int first() const noexcept { return first_; }
  [[nodiscard]] int stride() const noexcept { return stride_; }
  [[nodiscard]] const int* listed() const noexcept {
    return list_.empty() ? nullptr : list_.data();
  }

  /// Returns the member with this world rank, or -1. O(1) if regular, O(log size) for a list.
  [[nodiscard]] int member_of(int world_rank) const noexcept;

 private:
  int first_ = 0;
  int stride_ = 1;
  int count_ = 0;
  std::vector<int> list_;
  std::vector<std::pair<int, int>> sorted_;  ///< (world rank, member)
};

}  // namespace upwash::detail
