// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Converts the callers' arguments to spans: containers, arrays, other contiguous ranges, or one
// value. A type that cannot travel is rejected with one sentence instead of a list of candidates.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>

namespace upwash::detail {

template <class T>
inline constexpr bool is_span = false;
template <class T>
inline constexpr bool is_span<std::span<T>> = true;

/// A range that is not a span: calls with spans accept spans directly.
template <class R>
concept other_range = std::ranges::range<R> && !is_span<std::remove_cvref_t<R>>;

/// Two ranges, at least one of which is not a span.
template <class In, class Out>
concept other_ranges = std::ranges::range<In> && std::ranges::range<Out> &&
    (other_range<In> || other_range<Out>);

template <class R>
using item_of = std::remove_cvref_t<std::ranges::range_reference_t<R>>;

/// Whether the items still exist after the call returns. R is a reference type for an lvalue.
template <class R>
inline constexpr bool outlives_call =
    std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>;

/// Checks whether a range can supply items. `Later`: the call uses the items after its return.
template <class R, bool Later>
constexpr void check_items() {
  static_assert(std::ranges::contiguous_range<R> && std::ranges::sized_range<R>,
                "items must lie one behind the other: give a vector, an array or a span");
  static_assert(std::is_trivially_copyable_v<item_of<R>>,
                "items must be trivially copyable: they travel as bytes");
  static_assert(!Later || outlives_call<R>,
                "a temporary is gone before the call is complete: give it a name, or call with "
                "`blocking`");
}

/// Returns the input items of a range.
template <bool Later, class R>
[[nodiscard]] constexpr std::span<const item_of<R>> input_items(R&& from) {
  check_items<R, Later>();
  return {std::ranges::data(from), std::ranges::size(from)};
}

/// Returns the output items of a range. The range keeps its size.
template <bool Later, class R>
[[nodiscard]] constexpr std::span<item_of<R>> output_items(R&& into) {
  check_items<R, Later>();
  static_assert(outlives_call<R>, "the output is a temporary: nobody could read it");
  static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>,
                "the output is const");
  return {std::ranges::data(into), std::ranges::size(into)};
}

/// The input and the output of a call, which have items of one type.
template <class T>
struct item_spans {
  std::span<const T> in;
  std::span<T> out;
};
template <bool Later, class In, class Out>
[[nodiscard]] constexpr item_spans<item_of<Out>> items_of(In&& in, Out&& out) {
  static_assert(std::is_same_v<item_of<In>, item_of<Out>>,
                "the items of input and output must be of one type");
  return {input_items<Later>(static_cast<In&&>(in)), output_items<Later>(static_cast<Out&&>(out))};
}

/// Whether one value can travel.
template <class T>
concept travels = std::is_trivially_copyable_v<T> && !std::is_array_v<T> && !std::is_pointer_v<T> &&
                  !std::ranges::borrowed_range<T>;

/// Rejects a value that cannot travel, and states the reason.
template <class T>
constexpr void check_value() {
  static_assert(!std::is_pointer_v<T>,
                "a pointer means nothing to other ranks: give what it is of");
  static_assert(
      !std::ranges::borrowed_range<T>,
      "a view is no value, its items lie elsewhere: give the call an input and an output, "
      "or `in_place` and the view");
  static_assert(
      std::is_trivially_copyable_v<T> && !std::is_array_v<T>,
      "one value must be trivially copyable: it travels as bytes (for the items of a "
      "container, give the call an input and an output, or `in_place` and the container)");
}

}  // namespace upwash::detail
