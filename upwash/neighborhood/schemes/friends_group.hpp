// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A group of ranks that may combine their messages, and the order of preference between groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::neighborhoods {

inline constexpr std::size_t most_friends = 16;

/// Ranks, sorted, and the number of their common destinations.
class friend_group {
 public:
  friend_group() = default;
  explicit friend_group(std::span<const int> sorted, int weight = 0);

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::span<const int> ranks() const noexcept { return {ranks_.data(), size_}; }
  [[nodiscard]] int weight() const noexcept { return weight_; }
  [[nodiscard]] bool has(int rank) const;
  [[nodiscard]] std::size_t place_of(int rank) const;
  [[nodiscard]] bool same_ranks(const friend_group& other) const;

  /// A strict order of all groups, the same at all ranks; the weight decides first. If many groups
  /// weigh the same, as on grids, groups that fill aligned blocks come first. These cover all
  /// ranks, and each rank knows its own at once. An order by ranks would make each rank wait for
  /// the previous one.
  [[nodiscard]] bool before(const friend_group& other) const;

  /// Returns the digits in which the ranks differ, as bits.
  [[nodiscard]] static std::uint64_t spread_of(std::span<const int> ranks, int base);
  /// Returns the least prime factor, so that blocks of that number of ranks are aligned.
  [[nodiscard]] static int base_for(std::size_t size);

 private:
  std::array<int, most_friends> ranks_{};
  std::size_t size_ = 0;
  int weight_ = 0;
  std::uint64_t spread_ = 0;
};

}  // namespace upwash::neighborhoods
