// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocking collectives of one value, which return the result: counts, sums, offsets. A value is
// trivially copyable. Pointers and views are refused, because the data that they point to is not
// sent. Costs and errors are those of the same calls with one item.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "upwash/collective/all_gather.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/broadcast.hpp"
#include "upwash/collective/reduce.hpp"
#include "upwash/collective/scan.hpp"
#include "upwash/core/items.hpp"

namespace upwash {

/// Copies `value` of `root` to `value` of all members. Blocking, collective.
template <class T>
requires(!std::ranges::range<T>) void broadcast(const team& among, blocking_t, int root, T& value,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  static_assert(!std::is_const_v<T>, "the output is const");
  detail::check_value<T>();
  broadcast(among, blocking, root, std::span<T>(&value, 1), how, site);
}

/// Returns the values of all members, by member. Blocking, collective.
template <class T>
[[nodiscard]] std::vector<T> all_gather(const team& among, blocking_t, const T& value,
                                        const collective_options& how = {},
                                        call_site site = call_site::current()) {
  detail::check_value<T>();
  static_assert(!std::is_same_v<T, bool>, "vectors of bool have no items: give a char");
  std::vector<T> all(static_cast<std::size_t>(among.size()), value);
  all_gather(among, blocking, std::span<const T>(&value, 1), std::span<T>(all), how, site);
  return all;
}

/// Returns the combination of all values. Blocking, collective.
///
/// @code
/// const int local = 3;
/// const int total = upwash::all_reduce<upwash::sum>(world, upwash::blocking, local);
/// @endcode
template <class Operator, class T>
[[nodiscard]] T all_reduce(const team& among, blocking_t, const T& value,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  detail::check_value<T>();
  T result = value;
  if constexpr (detail::travels<T>) {
    all_reduce<Operator>(among, blocking, std::span<const T>(&value, 1), std::span<T>(&result, 1),
                         how, site);
  }
  return result;
}

/// Returns the combination of all values at `root`, and nothing at the other members. Blocking,
/// collective.
template <class Operator, class T>
[[nodiscard]] std::optional<T> reduce(const team& among, blocking_t, int root, const T& value,
                                      const collective_options& how = {},
                                      call_site site = call_site::current()) {
  detail::check_value<T>();
  T result = value;
  if constexpr (detail::travels<T>) {
    reduce<Operator>(among, blocking, root, std::span<const T>(&value, 1), std::span<T>(&result, 1),
                     how, site);
  }
  return among.rank() == root ? std::optional<T>(result) : std::nullopt;
}

/// Returns the combination of the values of member 0 to this member, in their order. Blocking,
/// collective.
template <class Operator, class T>
[[nodiscard]] T scan(const team& among, blocking_t, const T& value,
                     const collective_options& how = {}, call_site site = call_site::current()) {
  detail::check_value<T>();
  T result = value;
  if constexpr (detail::travels<T>) {
    scan<Operator>(among, blocking, std::span<const T>(&value, 1), std::span<T>(&result, 1), how,
                   site);
  }
  return result;
}

/// Returns the combination of the values of the members before this one, in their order; nothing at
/// member 0. `exclusive_scan<sum>(team, blocking, count).value_or(0)` is the index of this member's
/// first item. Blocking, collective.
template <class Operator, class T>
[[nodiscard]] std::optional<T> exclusive_scan(const team& among, blocking_t, const T& value,
                                              const collective_options& how = {},
                                              call_site site = call_site::current()) {
  detail::check_value<T>();
  T result = value;
  if constexpr (detail::travels<T>) {
    exclusive_scan<Operator>(among, blocking, std::span<const T>(&value, 1),
                             std::span<T>(&result, 1), how, site);
  }
  return among.rank() == 0 ? std::nullopt : std::optional<T>(result);
}

}  // namespace upwash
