// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The text of an index in errors and reports.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "upwash/objects/detail/object_key.hpp"

namespace upwash::objects {

template <class T>
inline constexpr bool is_array_of_numbers = false;
template <std::integral Number, std::size_t Dimensions>
inline constexpr bool is_array_of_numbers<std::array<Number, Dimensions>> = true;

/// Returns "[5]", "[1,2]", and for a program's own type its bytes.
template <object_index Index>
[[nodiscard]] std::string index_text(const Index& index) {
  std::string text = "[";
  if constexpr (std::integral<Index>) {
    text += std::to_string(index);
  } else if constexpr (is_array_of_numbers<Index>) {
    for (const auto each : index) {
      if (text.size() > 1) text += ',';
      text += std::to_string(each);
    }
  } else {
    constexpr const char* digits = "0123456789abcdef";
    text += "0x";
    for (const unsigned char byte :
         std::bit_cast<std::array<unsigned char, sizeof(Index)>>(index)) {
      text += digits[byte >> 4U];
      text += digits[byte & 15U];
    }
  }
  text += ']';
  return text;
}

}  // namespace upwash::objects
