// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An index without its type: what tables of objects go by.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upwash/base/random.hpp"

namespace upwash::objects {

/// Plain, at most 32 bytes, and equal exactly where its bytes are: integers, arrays and structures
/// of such.
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
    std::memcpy(&index, words.data(), sizeof index);
    return index;
  }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t mixed = 0;
    for (const std::uint64_t word : words) mixed = random_bits(mixed, word, 0);
    return mixed;
  }

  friend auto operator<=>(const object_key&, const object_key&) = default;
};

struct hash_of_key {
  [[nodiscard]] std::size_t operator()(const object_key& key) const noexcept { return key.hash(); }
};

}  // namespace upwash::objects
