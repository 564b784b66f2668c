// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An index without its type, as the key of object tables.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace upwash::objects {

/// Plain types of at most 32 bytes with equality by bytes: integers, and arrays and structures of
/// these.
template <class T>
concept object_index = std::is_trivially_copyable_v<T> &&
                       std::has_unique_object_representations_v<T> && sizeof(T) <= 32;

struct object_key {
  std::array<std::uint64_t, 4> words{};

  template <object_index Index>
  [[nodiscard]] static object_key of(const Index& index) noexcept {
    object_key made;
    std::memcpy(made.words.data(), &index, sizeof index);
    return made;
  }
  template <object_index Index>
  [[nodiscard]] Index as() const noexcept {
    Index index;
    std::memcpy(static_cast<void*>(&index), words.data(),
                sizeof index);  // members may have defaults
    return index;
  }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t mixed = 0x9e3779b97f4a7c15U;
    for (const std::uint64_t word : words) {
      mixed = (mixed ^ word) * 0xff51afd7ed558ccdU;
      mixed ^= mixed >> 32U;
    }
    return mixed;
  }

  friend auto operator<=>(const object_key&, const object_key&) = default;
  friend bool operator==(const object_key& a, const object_key& b) noexcept {
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < 4; ++i) differs |= a.words[i] ^ b.words[i];
    return differs == 0;
  }
};

/// The hash for tables; its products are independent. Because it is not noexcept, the library
/// stores the hash with each entry and does not recompute it in each step of a look-up.
struct hash_of_key {
  [[nodiscard]] std::size_t operator()(const object_key& key) const {
    std::uint64_t mixed =
        key.words[0] * 0x9e37'79b9'7f4a'7c15U ^ key.words[1] * 0xff51'afd7'ed55'8ccdU ^
        key.words[2] * 0xc4ce'b9fe'1a85'ec53U ^ key.words[3] * 0x94d0'49bb'1331'11ebU;
    mixed = (mixed ^ mixed >> 32U) * 0xbf58'476d'1ce4'e5b9U;
    return mixed ^ mixed >> 29U;
  }
};

}  // namespace upwash::objects
