// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which steps of an operation's window may come further: a bit for each place of the ring, and a
// bit for each word of those that is not zero. So the next one, in the order of emission, is found
// without a look at the steps between. Memory: a bit a place.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upwash::collective::detail {

class open_steps {
 public:
  static constexpr std::size_t nothing = ~std::size_t{0};

  /// At least so many places; while none is marked.
  void widen(std::size_t places) {
    const std::size_t words = (places + bits - 1) / bits;
    if (words > words_.size()) words_.resize(words);
    summary_.resize((words_.size() + bits - 1) / bits);
  }
  void clear() noexcept {
    words_.clear();
    summary_.clear();
  }
  void mark(std::size_t place) noexcept {
    words_[place / bits] |= bit(place);
    summary_[place / bits / bits] |= bit(place / bits);
  }
  void unmark(std::size_t place) noexcept {
    std::uint64_t& word = words_[place / bits];
    word &= ~bit(place);
    if (word == 0) summary_[place / bits / bits] &= ~bit(place / bits);
  }
  /// The first marked place from `from` on, or `nothing`. Time: O(1) up to 4,096 places.
  [[nodiscard]] std::size_t next(std::size_t from) const noexcept {
    const std::size_t word = from / bits;
    if (word >= words_.size()) return nothing;
    if (const std::uint64_t rest = words_[word] & up_from(from); rest != 0)
      return first(word, rest);
    const std::size_t next_word = word + 1;
    std::uint64_t mask = up_from(next_word);
    for (std::size_t i = next_word / bits; i < summary_.size(); ++i, mask = ~std::uint64_t{0}) {
      if ((summary_[i] & mask) == 0) continue;
      const std::size_t found = first(i, summary_[i] & mask);
      return first(found, words_[found]);
    }
    return nothing;
  }

 private:
  static constexpr std::size_t bits = 64;
  static std::uint64_t bit(std::size_t place) noexcept { return std::uint64_t{1} << place % bits; }
  static std::uint64_t up_from(std::size_t place) noexcept {
    return ~std::uint64_t{0} << place % bits;
  }
  static std::size_t first(std::size_t word, std::uint64_t of) noexcept {
    return word * bits + static_cast<std::size_t>(std::countr_zero(of));
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;
};

}  // namespace upwash::collective::detail
