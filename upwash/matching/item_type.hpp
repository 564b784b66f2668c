// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The type of a message's items as a short code that travels with the message, so that the receiver
// can tell a message of another type.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "upwash/core/items.hpp"

namespace upwash::matching {

/// How a number is stored; the high byte of the code of a known type, whose low byte is its size.
enum class item_kind : std::uint8_t {
  bytes,
  signed_integer,
  unsigned_integer,
  floating,
  boolean,
  complex,
  pickled,  ///< a Python object
};

/// The type of the items of a send or a receive.
struct item_type {
  std::uint16_t code = 0;       ///< 0: bytes, which fit every type
  bool one = false;             ///< one value, which an empty message does not fill
  bool always_checked = false;  ///< the code is compared in every run, else in checked runs
  std::uint32_t bytes = 1;      ///< size of an item

  /// Returns the type of numbers of `bytes` bytes, below 256, that are stored as `kind` says.
  [[nodiscard]] static constexpr item_type of_kind(item_kind kind, std::size_t bytes) noexcept {
    return {.code = static_cast<std::uint16_t>(static_cast<unsigned>(kind) << 8U | (bytes & 0xffU)),
            .bytes = static_cast<std::uint32_t>(bytes)};
  }
};

/// Codes of types that are known by their name only: a class fits numbers, whose layout it may
/// have, but no other class; a foreign type fits itself only.
inline constexpr std::uint16_t class_code = 0x8000;
inline constexpr std::uint16_t foreign_code = 0xc000;

/// A code with the flags `family`, from a hash (FNV-1a) of the type's name.
[[nodiscard]] constexpr std::uint16_t code_of_name(std::string_view name,
                                                   std::uint16_t family) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return static_cast<std::uint16_t>(family | ((hash ^ hash >> 14U ^ hash >> 28U) & 0x3fffU));
}

/// Whether a message with code `sent` may be received as `wanted`.
[[nodiscard]] constexpr bool codes_fit(std::uint16_t sent, std::uint16_t wanted) noexcept {
  if (sent == wanted || sent == 0 || wanted == 0) return true;
  const std::uint16_t low = sent < wanted ? sent : wanted;
  const std::uint16_t high = sent < wanted ? wanted : sent;
  return low < class_code && high >= class_code && high < foreign_code;  // a number and a class
}

/// The name of a code for messages: "int32", "a class". Allocates.
[[nodiscard]] std::string text_of_code(std::uint16_t code);

namespace detail {

template <class T>
constexpr std::string_view name_of() noexcept {
  return __PRETTY_FUNCTION__;
}

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

template <class T>
constexpr std::uint16_t code_of() noexcept {
  if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
    return code_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, std::byte> || std::is_same_v<T, char> ||
                       std::is_same_v<T, unsigned char>) {
    return 0;
  } else if constexpr (std::is_same_v<T, bool>) {
    return item_type::of_kind(item_kind::boolean, sizeof(T)).code;
  } else if constexpr (std::signed_integral<T>) {
    return item_type::of_kind(item_kind::signed_integer, sizeof(T)).code;
  } else if constexpr (std::unsigned_integral<T>) {
    return item_type::of_kind(item_kind::unsigned_integer, sizeof(T)).code;
  } else if constexpr (std::floating_point<T>) {
    return item_type::of_kind(item_kind::floating, sizeof(T)).code;
  } else if constexpr (is_complex<T>) {
    return item_type::of_kind(item_kind::complex, sizeof(T)).code;
  } else {
    return code_of_name(name_of<T>(), class_code);
  }
}

}  // namespace detail

/// The type of a range's items, or of one value.
template <class Items>
[[nodiscard]] constexpr item_type item_type_of() noexcept {
  if constexpr (std::ranges::range<Items>) {
    using item = upwash::detail::item_of<Items>;
    return {.code = detail::code_of<item>(), .bytes = sizeof(item)};
  } else {
    using value = std::remove_cvref_t<Items>;
    return {.code = detail::code_of<value>(), .one = true, .bytes = sizeof(value)};
  }
}

}  // namespace upwash::matching
