// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names for objects that peers return in messages. A name consists of a slot and the slot's
// generation. An invented or outdated name finds nothing, whereas an address would be followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upwash {

/// The table. 0 names nothing. All calls O(1). Memory grows with the most objects named at once (16
/// bytes each), and is kept.
template <class T>
class handle_table {
 public:
  /// Returns a name for `what`, valid until `leave`.
  [[nodiscard]] std::uint64_t enter(T& what) {
    if (free_ == none) {
      free_ = static_cast<std::uint32_t>(places_.size());
      places_.push_back({});
    }
    const std::uint32_t at = free_;
    place& mine = places_[at];
    free_ = mine.next_free;
    mine.what = &what;
    return std::uint64_t{mine.generation} << 32U | (at + 1);
  }

  /// Returns the object with this name, or null.
  [[nodiscard]] T* find(std::uint64_t name) const noexcept {
    const auto at = static_cast<std::uint32_t>(name) - 1;  // name 0: beyond all slots
    if (at >= places_.size()) return nullptr;
    const place& its = places_[at];
    return its.generation == name >> 32U ? its.what : nullptr;
  }

  /// Removes a name that `enter` returned and that was not removed yet.
  void leave(std::uint64_t name) noexcept {
    const auto at = static_cast<std::uint32_t>(name) - 1;
    place& its = places_[at];
    its.what = nullptr;
    ++its.generation;
    its.next_free = free_;
    free_ = at;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct place {
    T* what = nullptr;
    std::uint32_t generation = 0;
    std::uint32_t next_free = none;
  };

  std::vector<place> places_;
  std::uint32_t free_ = none;
};

}  // namespace upwash
