// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives with containers, arrays and other contiguous ranges where the headers of the
// single collectives ask for spans: vectors, std::array, C arrays, mixed with spans or not. What a
// call does, costs and throws is said there. Outputs keep their size. Nonblocking and persistent
// calls use the ranges until they are complete, and do not compile with temporary containers.
#pragma once

#include "upwash/collective/all_gather.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/all_to_all.hpp"
#include "upwash/collective/broadcast.hpp"
#include "upwash/collective/gather.hpp"
#include "upwash/collective/irregular_ranges.hpp"
#include "upwash/collective/reduce.hpp"
#include "upwash/collective/reduce_scatter.hpp"
#include "upwash/collective/scan.hpp"
#include "upwash/collective/scatter.hpp"
#include "upwash/core/items.hpp"

namespace upwash {

/// `data` of `root` goes to `data` of all (broadcast.hpp).
template <detail::other_range Data>
[[nodiscard]] request broadcast(const team& among, int root, Data&& data,
                                const collective_options& how = {},
                                call_site site = call_site::current()) {
  return broadcast(among, root, detail::output_items<true, Data>(static_cast<Data&&>(data)), how,
                   site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, detail::other_range Data>
auto broadcast(const team& among, Form form, int root, Data&& data,
               const collective_options& how = {}, call_site site = call_site::current()) {
  return broadcast(among, form, root,
                   detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                   how, site);
}

/// `in` of member i lands as block i of `out` of `root` (gather.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request gather(const team& among, int root, In&& in, Out&& out,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return gather(among, root, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto gather(const team& among, Form form, int root, In&& in, Out&& out,
            const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return gather(among, form, root, items.in, items.out, how, site);
}

/// The same in place (gather.hpp).
template <detail::other_range Data>
[[nodiscard]] request gather(const team& among, int root, in_place_t, Data&& data,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return gather(among, root, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)),
                how, site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, detail::other_range Data>
auto gather(const team& among, Form form, int root, in_place_t, Data&& data,
            const collective_options& how = {}, call_site site = call_site::current()) {
  return gather(among, form, root, in_place,
                detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                how, site);
}

/// Block i of `in` of `root` lands in `out` of member i (scatter.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request scatter(const team& among, int root, In&& in, Out&& out,
                              const collective_options& how = {},
                              call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return scatter(among, root, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto scatter(const team& among, Form form, int root, In&& in, Out&& out,
             const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return scatter(among, form, root, items.in, items.out, how, site);
}

/// The same in place (scatter.hpp).
template <detail::other_range Data>
[[nodiscard]] request scatter(const team& among, int root, in_place_t, Data&& data,
                              const collective_options& how = {},
                              call_site site = call_site::current()) {
  return scatter(among, root, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)),
                 how, site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, detail::other_range Data>
auto scatter(const team& among, Form form, int root, in_place_t, Data&& data,
             const collective_options& how = {}, call_site site = call_site::current()) {
  return scatter(among, form, root, in_place,
                 detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                 how, site);
}

/// `out` of `root` is the combination of all `in`, item by item (reduce.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request reduce(const team& among, int root, In&& in, Out&& out,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return reduce<Operator>(among, root, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto reduce(const team& among, Form form, int root, In&& in, Out&& out,
            const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return reduce<Operator>(among, form, root, items.in, items.out, how, site);
}

/// The same in place (reduce.hpp).
template <class Operator, detail::other_range Data>
[[nodiscard]] request reduce(const team& among, int root, in_place_t, Data&& data,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return reduce<Operator>(among, root, in_place,
                          detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto reduce(const team& among, Form form, int root, in_place_t, Data&& data,
            const collective_options& how = {}, call_site site = call_site::current()) {
  return reduce<Operator>(
      among, form, root, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

/// `in` of member i lands as block i of `out` of all (all_gather.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request all_gather(const team& among, In&& in, Out&& out,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return all_gather(among, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto all_gather(const team& among, Form form, In&& in, Out&& out,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return all_gather(among, form, items.in, items.out, how, site);
}
/// The same; member i's part of `data` holds its contribution.
template <detail::other_range Data>
[[nodiscard]] request all_gather(const team& among, in_place_t, Data&& data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return all_gather(among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)),
                    how, site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, detail::other_range Data>
auto all_gather(const team& among, Form form, in_place_t, Data&& data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  return all_gather(among, form, in_place,
                    detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                    how, site);
}

/// Block j of `in` of member i lands as block i of `out` of member j (all_to_all.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request all_to_all(const team& among, In&& in, Out&& out,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return all_to_all(among, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto all_to_all(const team& among, Form form, In&& in, Out&& out,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return all_to_all(among, form, items.in, items.out, how, site);
}

/// The same in place (all_to_all.hpp).
template <detail::other_range Data>
[[nodiscard]] request all_to_all(const team& among, in_place_t, Data&& data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return all_to_all(among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)),
                    how, site);
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, detail::other_range Data>
auto all_to_all(const team& among, Form form, in_place_t, Data&& data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  return all_to_all(among, form, in_place,
                    detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                    how, site);
}

/// `out` of all is the combination of all `in`, item by item (all_reduce.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request all_reduce(const team& among, In&& in, Out&& out,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return all_reduce<Operator>(among, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto all_reduce(const team& among, Form form, In&& in, Out&& out,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return all_reduce<Operator>(among, form, items.in, items.out, how, site);
}
/// The same; `data` holds the contribution and then the result.
template <class Operator, detail::other_range Data>
[[nodiscard]] request all_reduce(const team& among, in_place_t, Data&& data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return all_reduce<Operator>(
      among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto all_reduce(const team& among, Form form, in_place_t, Data&& data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  return all_reduce<Operator>(
      among, form, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

/// `out` of member i is the combination of block i of all `in` (reduce_scatter.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request reduce_scatter(const team& among, In&& in, Out&& out,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return reduce_scatter<Operator>(among, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto reduce_scatter(const team& among, Form form, In&& in, Out&& out,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return reduce_scatter<Operator>(among, form, items.in, items.out, how, site);
}

/// The same in place (reduce_scatter.hpp).
template <class Operator, detail::other_range Data>
[[nodiscard]] request reduce_scatter(const team& among, in_place_t, Data&& data,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return reduce_scatter<Operator>(
      among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto reduce_scatter(const team& among, Form form, in_place_t, Data&& data,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  return reduce_scatter<Operator>(
      among, form, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

/// `out` of member r is the combination of `in` of the members 0 to r (scan.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request scan(const team& among, In&& in, Out&& out,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return scan<Operator>(among, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto scan(const team& among, Form form, In&& in, Out&& out, const collective_options& how = {},
          call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return scan<Operator>(among, form, items.in, items.out, how, site);
}
/// The same; `data` holds the contribution and then the result.
template <class Operator, detail::other_range Data>
[[nodiscard]] request scan(const team& among, in_place_t, Data&& data,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  return scan<Operator>(among, in_place,
                        detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto scan(const team& among, Form form, in_place_t, Data&& data, const collective_options& how = {},
          call_site site = call_site::current()) {
  return scan<Operator>(
      among, form, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

/// The same of the members 0 to r - 1; member 0 keeps what `out` has (scan.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request exclusive_scan(const team& among, In&& in, Out&& out,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return exclusive_scan<Operator>(among, items.in, items.out, how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto exclusive_scan(const team& among, Form form, In&& in, Out&& out,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return exclusive_scan<Operator>(among, form, items.in, items.out, how, site);
}
/// The same; `data` holds the contribution and then the result.
template <class Operator, detail::other_range Data>
[[nodiscard]] request exclusive_scan(const team& among, in_place_t, Data&& data,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return exclusive_scan<Operator>(
      among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// The same, blocking or persistent.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto exclusive_scan(const team& among, Form form, in_place_t, Data&& data,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  return exclusive_scan<Operator>(
      among, form, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

}  // namespace upwash
