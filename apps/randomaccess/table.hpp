// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table that is updated, spread over the ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace randomaccess {

/// Which word an update is of, and whose. Words, a power of two of them, belong to ranks by their
/// upper bits; an update is that of the word that its lower bits name.
class distribution {
 public:
  distribution() = default;
  distribution(std::uint64_t words, int ranks)
      : words_(words),
        share_((words + static_cast<std::uint64_t>(ranks) - 1) /
               static_cast<std::uint64_t>(ranks)) {}

  [[nodiscard]] int owner(std::uint64_t update) const noexcept {
    return static_cast<int>(word(update) / share_);
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t update) const noexcept {
    return update & (words_ - 1);
  }
  /// Of a rank's words the first; that of a rank without any is behind the last of all.
  [[nodiscard]] std::uint64_t first(int rank) const noexcept {
    return std::min(words_, share_ * static_cast<std::uint64_t>(rank));
  }
  /// How many words a rank has.
  [[nodiscard]] std::uint64_t count(int rank) const noexcept {
    return std::min(share_, words_ - first(rank));
  }

 private:
  std::uint64_t words_ = 1;
  std::uint64_t share_ = 1;
};

/// Word i holds i at first.
inline void fill(std::span<std::uint64_t> words, std::uint64_t first) noexcept {
  std::iota(words.begin(), words.end(), first);
}
/// How many words are not as at first.
[[nodiscard]] inline std::uint64_t changed(std::span<const std::uint64_t> words,
                                           std::uint64_t first) noexcept {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) count += words[i] != first + i ? 1 : 0;
  return count;
}

/// A rank's part, in its own memory.
class table_part {
 public:
  table_part() = default;
  table_part(std::uint64_t words, int ranks, int rank)
      : placed_(words, ranks), first_(placed_.first(rank)), words_(placed_.count(rank)) {
    fill(words_, first_);
  }

  [[nodiscard]] int owner(std::uint64_t update) const noexcept { return placed_.owner(update); }
  /// At the owner. Applied once more it is taken back.
  void apply(std::uint64_t update) noexcept { words_[placed_.word(update) - first_] ^= update; }
  /// Words that are not as at first.
  [[nodiscard]] std::uint64_t changed() const noexcept {
    return randomaccess::changed(words_, first_);
  }

 private:
  distribution placed_;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace randomaccess
