// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of one value, which blocking calls return: counts, sums, offsets. A value is
// trivially copyable; pointers and views are refused, since what they point to does not travel.
// They cost what the same calls cost with one item, and throw what those throw.
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

/// `value` of `root` goes to `value` of all.
template <class T>
requires(!std::ranges::range<T>) void broadcast(const team& among, blocking_t, int root, T& value,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  static_assert(!std::is_const_v<T>, "the output is const");
  detail::check_value<T>();
  broadcast(among, blocking, root, std::span<T>(&value, 1), how, site);
}

/// The values of all, by member.
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

/// The combination of all values: `all_reduce<sum>(team, blocking, count)`.
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

/// The combination of all values at `root`; empty at the others.
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

/// The combination of the values of the members 0 to the own, in their order.
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

/// The combination of the values of the members before the own, in their order; empty at member 0:
/// `exclusive_scan<sum>(team, blocking, count).value_or(0)` is where the own items begin.
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
