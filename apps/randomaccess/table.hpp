// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table that is updated, spread over the ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace randomaccess {

/// A rank's part. Words, a power of two of them, belong to ranks by their upper bits; word i holds
/// i at first, and an update is that of the word that its lower bits name.
class table_part {
 public:
  table_part() = default;
  table_part(std::uint64_t words, int ranks, int rank)
      : share_((words + static_cast<std::uint64_t>(ranks) - 1) / static_cast<std::uint64_t>(ranks)),
        mask_(words - 1),
        first_(std::min(words, share_ * static_cast<std::uint64_t>(rank))),
        words_(std::min(share_, words - first_)) {
    std::iota(words_.begin(), words_.end(), first_);
  }

  [[nodiscard]] int owner(std::uint64_t update) const noexcept {
    return static_cast<int>((update & mask_) / share_);
  }
  /// At the owner. Applied once more it is taken back.
  void apply(std::uint64_t update) noexcept { words_[(update & mask_) - first_] ^= update; }
  /// Words that are not as at first.
  [[nodiscard]] std::uint64_t changed() const noexcept {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) count += words_[i] != first_ + i ? 1 : 0;
    return count;
  }

 private:
  std::uint64_t share_ = 1;
  std::uint64_t mask_ = 0;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace randomaccess
