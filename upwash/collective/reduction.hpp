// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators for reductions: the usual ones on arithmetic types, and any function object of the
// user's on any plain type, named by its type or given as an object (operator_objects.hpp). `left`
// is always the contribution of the lower ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "upwash/collective/binding.hpp"

namespace upwash {

/// Function objects `T operator()(const T& left, const T& right)`. Whether they commute is their
/// member `commutes`; one without that member does not. An operator that throws ends the job, on
/// each conduit and also if the program catches it: the call throws `error` (fault) with the text
/// of the exception, and so does each later call of this rank that makes progress.
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
    if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(int)) {
      // The product of two 16-bit numbers may be more than an int has.
      return static_cast<T>(static_cast<unsigned>(left) * static_cast<unsigned>(right));
    } else {
      return static_cast<T>(left * right);
    }
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

/// The operator `Of`, which commutes: for lambdas, which cannot say so themselves.
template <class Of>
struct commuting : Of {
  static constexpr bool commutes = true;
};
template <class Of>
commuting(Of) -> commuting<Of>;

namespace detail {

/// Whether it is one of the operators above, on numbers.
template <class T, class Operator>
inline constexpr bool is_built_in = std::is_arithmetic_v<T> && (std::is_same_v<Operator, sum> ||
                                                                std::is_same_v<Operator, product> ||
                                                                std::is_same_v<Operator, least> ||
                                                                std::is_same_v<Operator, most> ||
                                                                std::is_same_v<Operator, bit_and> ||
                                                                std::is_same_v<Operator, bit_or> ||
                                                                std::is_same_v<Operator, bit_xor>);

template <class T, class Operator>
void reduce_elements(const std::byte* left, const std::byte* right, std::byte* into,
                     std::size_t bytes, const Operator& combine) {
  // Scratch is aligned for every fundamental type, and elements lie at multiples of their size.
  const auto* a = reinterpret_cast<const T*>(left);
  const auto* b = reinterpret_cast<const T*>(right);
  auto* to = reinterpret_cast<T*>(into);
  for (std::size_t i = 0; i < bytes / sizeof(T); ++i) to[i] = combine(a[i], b[i]);
}

template <class T>
constexpr void check_elements() {
  static_assert(std::is_trivially_copyable_v<T>, "elements travel as bytes");
  static_assert(alignof(T) <= alignof(std::max_align_t));
}

/// The operator of a type, as calls name it.
template <class Operator>
[[nodiscard]] constexpr Operator named() {
  static_assert(std::is_empty_v<Operator> && std::is_default_constructible_v<Operator>,
                "an operator that is named by its type has no state; give one that has as an "
                "object: all_reduce(team, in, out, op)");
  return Operator{};
}

}  // namespace detail

/// The reduction of an operator on T. A copy of its state, if it has any, goes with the reduction.
template <class T, class Operator>
[[nodiscard]] collective::reduction reduction_of(const Operator& by) {
  detail::check_elements<T>();
  static_assert(std::is_invocable_r_v<T, const Operator&, const T&, const T&>,
                "the operator cannot combine the elements: it needs a const call operator "
                "`T (const T& left, const T& right)`");
  static_assert(std::is_trivially_copyable_v<Operator>,
                "the operator is kept until the call is complete, as bytes: it must be trivially "
                "copyable, so let it capture plain values, or references to what lives as long");
  static_assert(sizeof(Operator) <= collective::reduction::most_state_bytes,
                "the operator's state has at most 32 bytes: let it refer to what is larger, which "
                "must live until the call is complete");
  static_assert(alignof(Operator) <= alignof(std::max_align_t));
  if constexpr (std::is_empty_v<Operator> && std::is_default_constructible_v<Operator>) {
    return {
        .apply =
            [](const std::byte* left, const std::byte* right, std::byte* into, std::size_t bytes,
               const void*) { detail::reduce_elements<T>(left, right, into, bytes, Operator{}); },
        .built_in = detail::is_built_in<T, Operator>};
  } else {
    collective::reduction made{[](const std::byte* left, const std::byte* right, std::byte* into,
                                  std::size_t bytes, const void* state) {
      const Operator own = *static_cast<const Operator*>(state);
      detail::reduce_elements<T>(left, right, into, bytes, own);
    }};
    made.has_state = true;
    ::new (static_cast<void*>(made.state.data())) Operator(by);
    return made;
  }
}
/// Of an operator that is named by its type.
template <class T, class Operator>
[[nodiscard]] collective::reduction reduction_of() {
  return reduction_of<T>(detail::named<Operator>());
}

}  // namespace upwash
