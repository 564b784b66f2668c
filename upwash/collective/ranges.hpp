// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives for containers, arrays and other contiguous ranges instead of spans: vectors,
// std::array, C arrays, also mixed with spans. Effects, costs and errors are described in the
// header of each collective. Outputs keep their size. Nonblocking and persistent calls use the
// ranges until they are complete, and do not compile with temporary containers.
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

/// Copies `data` of `root` to `data` of all members (broadcast.hpp).
template <detail::other_range Data>
[[nodiscard]] request broadcast(const team& among, int root, Data&& data,
                                const collective_options& how = {},
                                call_site site = call_site::current()) {
  return broadcast(among, root, detail::output_items<true, Data>(static_cast<Data&&>(data)), how,
                   site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, detail::other_range Data>
auto broadcast(const team& among, Form form, int root, Data&& data,
               const collective_options& how = {}, call_site site = call_site::current()) {
  return broadcast(among, form, root,
                   detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                   how, site);
}

/// Copies `in` of member i to block i of `out` of `root` (gather.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request gather(const team& among, int root, In&& in, Out&& out,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return gather(among, root, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto gather(const team& among, Form form, int root, In&& in, Out&& out,
            const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return gather(among, form, root, items.in, items.out, how, site);
}

/// In-place form (gather.hpp).
template <detail::other_range Data>
[[nodiscard]] request gather(const team& among, int root, in_place_t, Data&& data,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return gather(among, root, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)),
                how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, detail::other_range Data>
auto gather(const team& among, Form form, int root, in_place_t, Data&& data,
            const collective_options& how = {}, call_site site = call_site::current()) {
  return gather(among, form, root, in_place,
                detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                how, site);
}

/// Copies block i of `in` of `root` to `out` of member i (scatter.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request scatter(const team& among, int root, In&& in, Out&& out,
                              const collective_options& how = {},
                              call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return scatter(among, root, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto scatter(const team& among, Form form, int root, In&& in, Out&& out,
             const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return scatter(among, form, root, items.in, items.out, how, site);
}

/// In-place form (scatter.hpp).
template <detail::other_range Data>
[[nodiscard]] request scatter(const team& among, int root, in_place_t, Data&& data,
                              const collective_options& how = {},
                              call_site site = call_site::current()) {
  return scatter(among, root, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)),
                 how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, detail::other_range Data>
auto scatter(const team& among, Form form, int root, in_place_t, Data&& data,
             const collective_options& how = {}, call_site site = call_site::current()) {
  return scatter(among, form, root, in_place,
                 detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                 how, site);
}

/// Combines all `in` item by item into `out` of `root` (reduce.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request reduce(const team& among, int root, In&& in, Out&& out,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return reduce<Operator>(among, root, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto reduce(const team& among, Form form, int root, In&& in, Out&& out,
            const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return reduce<Operator>(among, form, root, items.in, items.out, how, site);
}

/// In-place form (reduce.hpp).
template <class Operator, detail::other_range Data>
[[nodiscard]] request reduce(const team& among, int root, in_place_t, Data&& data,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return reduce<Operator>(among, root, in_place,
                          detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto reduce(const team& among, Form form, int root, in_place_t, Data&& data,
            const collective_options& how = {}, call_site site = call_site::current()) {
  return reduce<Operator>(
      among, form, root, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

/// Copies `in` of member i to block i of `out` at all members (all_gather.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request all_gather(const team& among, In&& in, Out&& out,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return all_gather(among, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto all_gather(const team& among, Form form, In&& in, Out&& out,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return all_gather(among, form, items.in, items.out, how, site);
}
/// In-place form: part i of `data` at member i holds its contribution (all_gather.hpp).
template <detail::other_range Data>
[[nodiscard]] request all_gather(const team& among, in_place_t, Data&& data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return all_gather(among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)),
                    how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, detail::other_range Data>
auto all_gather(const team& among, Form form, in_place_t, Data&& data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  return all_gather(among, form, in_place,
                    detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                    how, site);
}

/// Copies block j of `in` of member i to block i of `out` of member j (all_to_all.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request all_to_all(const team& among, In&& in, Out&& out,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return all_to_all(among, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto all_to_all(const team& among, Form form, In&& in, Out&& out,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return all_to_all(among, form, items.in, items.out, how, site);
}

/// In-place form (all_to_all.hpp).
template <detail::other_range Data>
[[nodiscard]] request all_to_all(const team& among, in_place_t, Data&& data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return all_to_all(among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)),
                    how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, detail::other_range Data>
auto all_to_all(const team& among, Form form, in_place_t, Data&& data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  return all_to_all(among, form, in_place,
                    detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)),
                    how, site);
}

/// Combines all `in` item by item into `out` at all members (all_reduce.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request all_reduce(const team& among, In&& in, Out&& out,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return all_reduce<Operator>(among, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto all_reduce(const team& among, Form form, In&& in, Out&& out,
                const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return all_reduce<Operator>(among, form, items.in, items.out, how, site);
}
/// In-place form: `data` holds the contribution and afterwards the result (all_reduce.hpp).
template <class Operator, detail::other_range Data>
[[nodiscard]] request all_reduce(const team& among, in_place_t, Data&& data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return all_reduce<Operator>(
      among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto all_reduce(const team& among, Form form, in_place_t, Data&& data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  return all_reduce<Operator>(
      among, form, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

/// Combines block i of all `in` into `out` of member i (reduce_scatter.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request reduce_scatter(const team& among, In&& in, Out&& out,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return reduce_scatter<Operator>(among, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto reduce_scatter(const team& among, Form form, In&& in, Out&& out,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return reduce_scatter<Operator>(among, form, items.in, items.out, how, site);
}

/// In-place form (reduce_scatter.hpp).
template <class Operator, detail::other_range Data>
[[nodiscard]] request reduce_scatter(const team& among, in_place_t, Data&& data,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return reduce_scatter<Operator>(
      among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto reduce_scatter(const team& among, Form form, in_place_t, Data&& data,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  return reduce_scatter<Operator>(
      among, form, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

/// Combines `in` of members 0 to r into `out` of member r (scan.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request scan(const team& among, In&& in, Out&& out,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return scan<Operator>(among, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto scan(const team& among, Form form, In&& in, Out&& out, const collective_options& how = {},
          call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return scan<Operator>(among, form, items.in, items.out, how, site);
}
/// In-place form: `data` holds the contribution and afterwards the result (scan.hpp).
template <class Operator, detail::other_range Data>
[[nodiscard]] request scan(const team& among, in_place_t, Data&& data,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  return scan<Operator>(among, in_place,
                        detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto scan(const team& among, Form form, in_place_t, Data&& data, const collective_options& how = {},
          call_site site = call_site::current()) {
  return scan<Operator>(
      among, form, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

/// Combines `in` of members 0 to r - 1 into `out` of member r. `out` of member 0 does not change
/// (scan.hpp).
template <class Operator, class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request exclusive_scan(const team& among, In&& in, Out&& out,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return exclusive_scan<Operator>(among, items.in, items.out, how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto exclusive_scan(const team& among, Form form, In&& in, Out&& out,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return exclusive_scan<Operator>(among, form, items.in, items.out, how, site);
}
/// In-place form: `data` holds the contribution and afterwards the result (scan.hpp).
template <class Operator, detail::other_range Data>
[[nodiscard]] request exclusive_scan(const team& among, in_place_t, Data&& data,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return exclusive_scan<Operator>(
      among, in_place, detail::output_items<true, Data>(static_cast<Data&&>(data)), how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, detail::other_range Data>
auto exclusive_scan(const team& among, Form form, in_place_t, Data&& data,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  return exclusive_scan<Operator>(
      among, form, in_place,
      detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data)), how, site);
}

}  // namespace upwash
