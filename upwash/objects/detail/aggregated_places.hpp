// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A table of where objects are thought to be that costs a call one line of memory: by the index at
// its own size, in one array, with linear probing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "upwash/objects/detail/element.hpp"

namespace upwash::objects {

template <object_index Index>
[[nodiscard]] bool same_index(const Index& a, const Index& b) noexcept {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// One word: an object that is here, a member, or that nothing is known.
class object_place {
 public:
  [[nodiscard]] static object_place here(element& one) noexcept {
    return object_place(std::bit_cast<std::uintptr_t>(&one));
  }
  /// Where something is amiss it should be found out soon; where all is well it is asked seldom.
  [[nodiscard]] static object_place at_member(int member) noexcept {
    return object_place((static_cast<std::uint64_t>(member) + 1) << member_shift |
                        first_period << period_shift | first_period << left_shift | 1U);
  }
  /// Of an index that is in the table.
  [[nodiscard]] static object_place forgotten() noexcept { return object_place(1); }
  object_place() = default;

  [[nodiscard]] bool in_use() const noexcept { return word_ != 0; }
  [[nodiscard]] bool known() const noexcept { return word_ > 1; }
  /// Null: not here.
  [[nodiscard]] element* object() const noexcept {
    return (word_ & 1U) == 0 ? std::bit_cast<element*>(static_cast<std::uintptr_t>(word_))
                             : nullptr;
  }
  [[nodiscard]] int member() const noexcept {
    return static_cast<int>(static_cast<std::uint32_t>(word_ >> member_shift)) - 1;
  }
  /// Of a member: one call more goes there. Whether it is time to ask if the object is there: after
  /// 8 calls, then twice as many each time, up to 4,096.
  [[nodiscard]] bool count_call() noexcept {
    word_ -= std::uint64_t{1} << left_shift;
    if ((word_ >> left_shift & count_mask) != 0) return false;
    const std::uint64_t period = std::min(2 * (word_ >> period_shift & count_mask), last_period);
    word_ &= ~(count_mask << period_shift);
    word_ |= period << period_shift | period << left_shift;
    return true;
  }

 private:
  static constexpr unsigned left_shift = 1;
  static constexpr unsigned period_shift = 16;
  static constexpr unsigned member_shift = 32;
  static constexpr std::uint64_t count_mask = (std::uint64_t{1} << 15U) - 1;
  static constexpr std::uint64_t first_period = 8;
  static constexpr std::uint64_t last_period = 4096;
  static_assert(sizeof(std::uintptr_t) == sizeof(std::uint64_t) && alignof(element) > 1);

  explicit object_place(std::uint64_t word) noexcept : word_(word) {}

  std::uint64_t word_ = 0;
};

/// Memory: two to four entries of an index and a word for each index that was set.
template <object_index Index>
class place_table {
 public:
  place_table() : slots_(smallest) {}

  /// Null where it was never set. Valid until the next `set`.
  [[nodiscard]] object_place* find(const Index& index) noexcept {
    for (std::size_t i = first_slot(index);; i = next_slot(i)) {
      slot& at = slots_[i];
      if (!at.place.in_use()) return nullptr;
      if (same_index(at.index, index)) return &at.place;
    }
  }
  void set(const Index& index, object_place place) {
    if (object_place* const known = find(index); known != nullptr) {
      *known = place;
      return;
    }
    if (2 * (used_ + 1) > slots_.size()) make_room();
    put(index, place);
  }

 private:
  struct slot {
    Index index{};
    object_place place;
  };
  static constexpr std::size_t smallest = 64;

  [[nodiscard]] std::size_t next_slot(std::size_t i) const noexcept {
    return (i + 1) & (slots_.size() - 1);
  }
  /// By the upper bits of products: neighbours, and multiples of powers of two, are far apart.
  [[nodiscard]] std::size_t first_slot(const Index& index) const noexcept {
    std::uint64_t words[(sizeof(Index) + 7) / 8] = {};
    std::memcpy(words, &index, sizeof index);
    std::uint64_t mixed = 0;
    for (const std::uint64_t each : words) {
      mixed ^= each;
      mixed = (mixed ^ mixed >> 32U) * 0x9E37'79B9'7F4A'7C15U;
    }
    return mixed >> shift_;
  }
  void put(const Index& index, object_place place) noexcept {
    std::size_t i = first_slot(index);
    while (slots_[i].place.in_use()) i = next_slot(i);
    slots_[i] = {index, place};
    ++used_;
  }
  /// Those that were forgotten go.
  void make_room() {
    std::size_t kept = 0;
    for (const slot& each : slots_) kept += each.place.known() ? 1 : 0;
    std::vector<slot> before(std::max(smallest, std::bit_ceil(4 * (kept + 1))));
    before.swap(slots_);
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(slots_.size()));
    used_ = 0;
    for (const slot& each : before) {
      if (each.place.known()) put(each.index, each.place);
    }
  }

  std::vector<slot> slots_;  ///< a power of two of them
  unsigned shift_ = 64U - static_cast<unsigned>(std::countr_zero(smallest));
  std::size_t used_ = 0;
};

}  // namespace upwash::objects
