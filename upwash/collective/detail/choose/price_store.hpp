// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What processes that share memory tell each other of prices: words by words. Nothing that was
// given is changed or removed, so readers need no lock; where the memory is full it stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace upwash::collective::detail {

/// A view of a table in memory that others view, too; any of them may end at any time. What is half
/// written then is lost, and nobody sees it. Time: that of comparing keys, at most 8 of them.
class price_store {
 public:
  using words = std::span<const std::uint64_t>;
  static constexpr std::size_t least_words = 64;

  /// The memory was zero when the first of them came, and all name the same of it.
  explicit price_store(std::span<std::uint64_t> memory) noexcept;

  /// Well mixed.
  [[nodiscard]] static std::uint64_t hash_of(words key) noexcept;

  struct answer {
    std::optional<words> value;  ///< good as long as the memory
    bool promised = false;       ///< somebody has said that it will be given
  };
  [[nodiscard]] answer find(words key, std::uint64_t hash) const noexcept;

  /// Says that a value will be given. False: another has said so or given one, or there is no room.
  [[nodiscard]] bool promise(words key, std::uint64_t hash) noexcept;
  /// Also where another has promised it, who may be gone. Of two the first counts; where there is
  /// no room nobody waits for it any longer.
  void give(words key, std::uint64_t hash, words value) noexcept;
  /// What was promised will not be given.
  void give_up(words key, std::uint64_t hash) noexcept;

 private:
  /// Of a place: the upper half of the hash above where its record begins, in words.
  static constexpr std::uint64_t empty = 0;
  static constexpr std::uint32_t coming = 0;
  static constexpr std::uint32_t never = UINT32_MAX;
  static constexpr std::size_t most_looks = 8;

  struct found {
    std::uint64_t* place = nullptr;  ///< null: none that is free or of this key
    std::uint64_t seen = empty;
  };
  [[nodiscard]] found look_for(words key, std::uint64_t hash) const noexcept;
  [[nodiscard]] std::uint32_t write(words key, words value) noexcept;
  [[nodiscard]] words key_at(std::uint32_t record) const noexcept;
  [[nodiscard]] words value_at(std::uint32_t record) const noexcept;

  std::uint64_t* used_;               ///< words of `records_`
  std::span<std::uint64_t> places_;   ///< a power of two of them
  std::span<std::uint64_t> records_;  ///< each: the lengths of key and value, and these
};

}  // namespace upwash::collective::detail
