// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions with an operator object, which may have state, after the buffers: `all_reduce(team,
// in, out, [modulus](int a, int b) { return (a + b) % modulus; })`. Effects, costs and errors are
// described in the header of each collective. Buffers are spans or other ranges (ranges.hpp).
#pragma once

#include <concepts>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>

#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/reduce.hpp"
#include "upwash/collective/reduce_scatter.hpp"
#include "upwash/collective/scan.hpp"
#include "upwash/core/items.hpp"

namespace upwash {

namespace detail {

/// An operator object. Every member combines with its own object, in an unspecified share of the
/// work; all objects have one type and combine alike. The call copies the object without allocation
/// and keeps it until the call is complete; a persistent call keeps it as long as it exists. The
/// object is trivially copyable and has at most 32 bytes. Data that it refers to must live as long.
/// A lambda cannot state that it commutes and is assumed not to; `commuting{lambda}` states it
/// (reduction.hpp).
template <class F>
concept operator_object = !std::ranges::range<F> && !std::same_as<F, collective_options> &&
                          (std::is_class_v<F> || std::is_function_v<std::remove_pointer_t<F>>);

/// Two ranges, for example two spans.
template <class In, class Out>
concept buffers = std::ranges::range<In> && std::ranges::range<Out>;

}  // namespace detail

/// Combines all `in` into `out` at all members (all_reduce.hpp).
template <class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
[[nodiscard]] request all_reduce(const team& among, In&& in, Out&& out, Operator by,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return collective::detail::start(among, detail::all_reduce_call<detail::item_of<Out>>(
                                              among, by, items.in, items.out, false, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
auto all_reduce(const team& among, Form form, In&& in, Out&& out, Operator by,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return collective::detail::perform(among, form,
                                     detail::all_reduce_call<detail::item_of<Out>>(
                                         among, by, items.in, items.out, false, how, site));
}
/// In-place form.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request all_reduce(const team& among, in_place_t, Data&& data, Operator by,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among, detail::all_reduce_call<detail::item_of<Data>>(among, by, {}, items, true, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, std::ranges::range Data, detail::operator_object Operator>
auto all_reduce(const team& among, Form form, in_place_t, Data&& data, Operator by,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items =
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data));
  return collective::detail::perform(
      among, form,
      detail::all_reduce_call<detail::item_of<Data>>(among, by, {}, items, true, how, site));
}
/// Returns the combination of all values. Blocking, collective.
template <class T, detail::operator_object Operator>
requires(!std::ranges::range<T>) [[nodiscard]] T
    all_reduce(const team& among, blocking_t, const T& value, Operator by,
               const collective_options& how = {}, call_site site = call_site::current()) {
  detail::check_value<T>();
  T result = value;
  if constexpr (detail::travels<T>) {
    all_reduce(among, blocking, std::span<const T>(&value, 1), std::span<T>(&result, 1), by, how,
               site);
  }
  return result;
}

/// Combines all `in` into `out` at `root` (reduce.hpp).
template <class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
[[nodiscard]] request reduce(const team& among, int root, In&& in, Out&& out, Operator by,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return collective::detail::start(among, detail::reduce_call<detail::item_of<Out>>(
                                              among, by, root, items.in, items.out, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
auto reduce(const team& among, Form form, int root, In&& in, Out&& out, Operator by,
            const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return collective::detail::perform(
      among, form,
      detail::reduce_call<detail::item_of<Out>>(among, by, root, items.in, items.out, how, site));
}
/// In-place form.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request reduce(const team& among, int root, in_place_t, Data&& data, Operator by,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among, detail::reduce_in_place_call<detail::item_of<Data>>(by, root, items, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, std::ranges::range Data, detail::operator_object Operator>
auto reduce(const team& among, Form form, int root, in_place_t, Data&& data, Operator by,
            const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items =
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data));
  return collective::detail::perform(
      among, form, detail::reduce_in_place_call<detail::item_of<Data>>(by, root, items, how, site));
}
/// Returns the combination of all values at `root`, and nothing at the other members. Blocking,
/// collective.
template <class T, detail::operator_object Operator>
requires(!std::ranges::range<T>)
    [[nodiscard]] std::optional<T> reduce(const team& among, blocking_t, int root, const T& value,
                                          Operator by, const collective_options& how = {},
                                          call_site site = call_site::current()) {
  detail::check_value<T>();
  T result = value;
  if constexpr (detail::travels<T>) {
    reduce(among, blocking, root, std::span<const T>(&value, 1), std::span<T>(&result, 1), by, how,
           site);
  }
  return among.rank() == root ? std::optional<T>(result) : std::nullopt;
}

/// Combines block i of all `in` into `out` of member i (reduce_scatter.hpp).
template <class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
[[nodiscard]] request reduce_scatter(const team& among, In&& in, Out&& out, Operator by,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return collective::detail::start(among, detail::reduce_scatter_call<detail::item_of<Out>>(
                                              among, by, items.in, items.out, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
auto reduce_scatter(const team& among, Form form, In&& in, Out&& out, Operator by,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return collective::detail::perform(
      among, form,
      detail::reduce_scatter_call<detail::item_of<Out>>(among, by, items.in, items.out, how, site));
}
/// In-place form.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request reduce_scatter(const team& among, in_place_t, Data&& data, Operator by,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among,
      detail::reduce_scatter_in_place_call<detail::item_of<Data>>(among, by, items, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, std::ranges::range Data, detail::operator_object Operator>
auto reduce_scatter(const team& among, Form form, in_place_t, Data&& data, Operator by,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items =
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data));
  return collective::detail::perform(
      among, form,
      detail::reduce_scatter_in_place_call<detail::item_of<Data>>(among, by, items, how, site));
}

/// Combines `in` of members 0 to r into `out` of member r (scan.hpp).
template <class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
[[nodiscard]] request scan(const team& among, In&& in, Out&& out, Operator by,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return collective::detail::start(
      among, detail::scan_call<detail::item_of<Out>>(among, by, collective::kind::scan, items.in,
                                                     items.out, false, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
auto scan(const team& among, Form form, In&& in, Out&& out, Operator by,
          const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return collective::detail::perform(
      among, form,
      detail::scan_call<detail::item_of<Out>>(among, by, collective::kind::scan, items.in,
                                              items.out, false, how, site));
}
/// In-place form.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request scan(const team& among, in_place_t, Data&& data, Operator by,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among, detail::scan_call<detail::item_of<Data>>(among, by, collective::kind::scan, {}, items,
                                                      true, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, std::ranges::range Data, detail::operator_object Operator>
auto scan(const team& among, Form form, in_place_t, Data&& data, Operator by,
          const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items =
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data));
  return collective::detail::perform(
      among, form,
      detail::scan_call<detail::item_of<Data>>(among, by, collective::kind::scan, {}, items, true,
                                               how, site));
}
/// Scan of one value. Blocking, collective.
template <class T, detail::operator_object Operator>
requires(!std::ranges::range<T>) [[nodiscard]] T
    scan(const team& among, blocking_t, const T& value, Operator by,
         const collective_options& how = {}, call_site site = call_site::current()) {
  detail::check_value<T>();
  T result = value;
  if constexpr (detail::travels<T>) {
    scan(among, blocking, std::span<const T>(&value, 1), std::span<T>(&result, 1), by, how, site);
  }
  return result;
}

/// Combines `in` of members 0 to r - 1 into `out` of member r. `out` of member 0 does not change
/// (scan.hpp).
template <class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
[[nodiscard]] request exclusive_scan(const team& among, In&& in, Out&& out, Operator by,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return collective::detail::start(
      among, detail::scan_call<detail::item_of<Out>>(among, by, collective::kind::exclusive_scan,
                                                     items.in, items.out, false, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
auto exclusive_scan(const team& among, Form form, In&& in, Out&& out, Operator by,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return collective::detail::perform(
      among, form,
      detail::scan_call<detail::item_of<Out>>(among, by, collective::kind::exclusive_scan, items.in,
                                              items.out, false, how, site));
}
/// In-place form.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request exclusive_scan(const team& among, in_place_t, Data&& data, Operator by,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among, detail::scan_call<detail::item_of<Data>>(among, by, collective::kind::exclusive_scan,
                                                      {}, items, true, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, std::ranges::range Data, detail::operator_object Operator>
auto exclusive_scan(const team& among, Form form, in_place_t, Data&& data, Operator by,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items =
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data));
  return collective::detail::perform(
      among, form,
      detail::scan_call<detail::item_of<Data>>(among, by, collective::kind::exclusive_scan, {},
                                               items, true, how, site));
}
/// Exclusive scan of one value; returns nothing at member 0. Blocking, collective.
template <class T, detail::operator_object Operator>
requires(!std::ranges::range<T>)
    [[nodiscard]] std::optional<T> exclusive_scan(const team& among, blocking_t, const T& value,
                                                  Operator by, const collective_options& how = {},
                                                  call_site site = call_site::current()) {
  detail::check_value<T>();
  T result = value;
  if constexpr (detail::travels<T>) {
    exclusive_scan(among, blocking, std::span<const T>(&value, 1), std::span<T>(&result, 1), by,
                   how, site);
  }
  return among.rank() == 0 ? std::nullopt : std::optional<T>(result);
}

}  // namespace upwash
