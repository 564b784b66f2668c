// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators for reductions: the usual ones on arithmetic types, and any function object of the
// user's on any plain type. `left` is always the contribution of the lower ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upwash/collective/executor.hpp"

namespace upwash {

/// Function objects `T operator()(const T& left, const T& right)`. Stateless. Whether they commute
/// is their member `commutes`; one without that member does not.
struct sum {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left + right);
  }
};
struct product {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left * right);
  }
};
struct least {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return right < left ? right : left;
  }
};
struct most {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return left < right ? right : left;
  }
};
struct bit_and {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left & right);
  }
};
struct bit_or {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left | right);
  }
};
struct bit_xor {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left ^ right);
  }
};

/// Whether T op may be combined in any order.
template <class Operator>
[[nodiscard]] constexpr bool commutes() noexcept {
  if constexpr (requires { Operator::commutes; }) return Operator::commutes;
  return false;
}

namespace detail {

template <class T, class Operator>
void reduce_elements(const std::byte* left, const std::byte* right, std::byte* into,
                     std::size_t bytes, const void* /*context*/) {
  // Scratch is aligned for every fundamental type, and elements lie at multiples of their size.
  const auto* a = reinterpret_cast<const T*>(left);
  const auto* b = reinterpret_cast<const T*>(right);
  auto* to = reinterpret_cast<T*>(into);
  const Operator combine{};
  for (std::size_t i = 0; i < bytes / sizeof(T); ++i) to[i] = combine(a[i], b[i]);
}

}  // namespace detail

/// The reduction of a stateless operator on T.
template <class T, class Operator>
[[nodiscard]] collective::reduction reduction_of() {
  static_assert(std::is_trivially_copyable_v<T>, "elements travel as bytes");
  static_assert(std::is_empty_v<Operator> && std::is_default_constructible_v<Operator>,
                "operators are stateless: members of a team must combine alike");
  static_assert(alignof(T) <= alignof(std::max_align_t));
  return {&detail::reduce_elements<T, Operator>, nullptr};
}

}  // namespace upwash
