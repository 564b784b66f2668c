// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions by an operator that is an object and may have state, given behind the buffers:
// `all_reduce(team, in, out, [modulus](int a, int b) { return (a + b) % modulus; })`. What a call
// does, costs and throws is said in the header of the single collective; buffers are spans or other
// ranges (ranges.hpp).
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

/// Every member combines by its own object, in whatever share of the work it has: members give
/// objects of one type that combine alike. The object is copied at the call, without allocation,
/// and kept until the call is complete, of a persistent one until that is gone: it is trivially
/// copyable and has at most 32 bytes. What it refers to must live as long. A lambda does not say
/// whether it commutes and is taken not to; `commuting{lambda}` does (reduction.hpp).
template <class F>
concept operator_object = !std::ranges::range<F> && !std::same_as<F, collective_options> &&
                          (std::is_class_v<F> || std::is_function_v<std::remove_pointer_t<F>>);

/// Two ranges, also two spans.
template <class In, class Out>
concept buffers = std::ranges::range<In> && std::ranges::range<Out>;

}  // namespace detail

/// `out` of all is the combination of all `in` (all_reduce.hpp).
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
/// The same, blocking or persistent.
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
/// The same in place.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request all_reduce(const team& among, in_place_t, Data&& data, Operator by,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among, detail::all_reduce_call<detail::item_of<Data>>(among, by, {}, items, true, how, site));
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, std::ranges::range Data, detail::operator_object Operator>
auto all_reduce(const team& among, Form form, in_place_t, Data&& data, Operator by,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items =
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data));
  return collective::detail::perform(
      among, form,
      detail::all_reduce_call<detail::item_of<Data>>(among, by, {}, items, true, how, site));
}
/// The combination of all values.
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

/// `out` of `root` is the combination of all `in` (reduce.hpp).
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
/// The same, blocking or persistent.
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
/// The same in place.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request reduce(const team& among, int root, in_place_t, Data&& data, Operator by,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among, detail::reduce_in_place_call<detail::item_of<Data>>(by, root, items, how, site));
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, std::ranges::range Data, detail::operator_object Operator>
auto reduce(const team& among, Form form, int root, in_place_t, Data&& data, Operator by,
            const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items =
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data));
  return collective::detail::perform(
      among, form, detail::reduce_in_place_call<detail::item_of<Data>>(by, root, items, how, site));
}
/// The combination of all values at `root`; empty at the others.
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

/// `out` of member i is the combination of block i of all `in` (reduce_scatter.hpp).
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
/// The same, blocking or persistent.
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
/// The same in place.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request reduce_scatter(const team& among, in_place_t, Data&& data, Operator by,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among,
      detail::reduce_scatter_in_place_call<detail::item_of<Data>>(among, by, items, how, site));
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, std::ranges::range Data, detail::operator_object Operator>
auto reduce_scatter(const team& among, Form form, in_place_t, Data&& data, Operator by,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items =
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data));
  return collective::detail::perform(
      among, form,
      detail::reduce_scatter_in_place_call<detail::item_of<Data>>(among, by, items, how, site));
}

/// `out` of member r is the combination of `in` of the members 0 to r (scan.hpp).
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
/// The same, blocking or persistent.
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
/// The same in place.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request scan(const team& among, in_place_t, Data&& data, Operator by,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among, detail::scan_call<detail::item_of<Data>>(among, by, collective::kind::scan, {}, items,
                                                      true, how, site));
}
/// The same, blocking or persistent.
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
/// Of one value.
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

/// The same of the members 0 to r - 1; member 0 keeps what `out` has (scan.hpp).
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
/// The same, blocking or persistent.
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
/// The same in place.
template <std::ranges::range Data, detail::operator_object Operator>
[[nodiscard]] request exclusive_scan(const team& among, in_place_t, Data&& data, Operator by,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(data));
  return collective::detail::start(
      among, detail::scan_call<detail::item_of<Data>>(among, by, collective::kind::exclusive_scan,
                                                      {}, items, true, how, site));
}
/// The same, blocking or persistent.
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
/// Of one value; empty at member 0.
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
