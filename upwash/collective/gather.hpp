// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gather: collects a block of every member at the root.
//
// The choice of the algorithm depends on the bytes of a block, the root and the size of the team.
// Collective.
#pragma once

#include <span>
#include <type_traits>

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {

template <class T>
[[nodiscard]] collective::detail::bound_call gather_call(const team& among, int root,
                                                         std::span<const T> mine,
                                                         std::span<T> blocks,
                                                         const collective_options& how,
                                                         call_site site) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (among.rank() == root) {
    collective::detail::check_size(among, collective::kind::gather, "the root's output",
                                   blocks.size(),
                                   mine.size() * static_cast<std::size_t>(among.size()));
  }
  return {{.what = {.of = collective::kind::gather,
                    .bytes = mine.size_bytes(),
                    .element_bytes = sizeof(T),
                    .root = root},
           .how = how,
           .site = site},
          {.input = std::as_bytes(mine), .output = std::as_writable_bytes(blocks)}};
}

template <class T>
[[nodiscard]] collective::detail::bound_call gather_in_place_call(const team& among, int root,
                                                                  std::span<T> data,
                                                                  const collective_options& how,
                                                                  call_site site) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto all = among.rank() == root ? static_cast<std::size_t>(among.size()) : 1;
  const std::size_t each = data.size() / all;
  collective::detail::check_size(among, collective::kind::gather, "the root's buffer", data.size(),
                                 each * all);
  return {{.what = {.of = collective::kind::gather,
                    .bytes = each * sizeof(T),
                    .element_bytes = sizeof(T),
                    .root = root,
                    .in_place = true},
           .how = how,
           .site = site},
          {.input = std::as_bytes(data), .output = std::as_writable_bytes(data)}};
}

}  // namespace detail

/// Copies `mine` of member i to block i of `blocks` at `root`. All members give the same number of
/// elements. `blocks` is used only at the root. The buffers belong to the call until the request is
/// complete. Nonblocking, collective. Throws `error` (argument) if the sizes do not fit.
template <class T>
[[nodiscard]] request gather(const team& among, int root,
                             std::span<const std::type_identity_t<T>> mine, std::span<T> blocks,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::gather_call<T>(among, root, mine, blocks, how, site));
}
/// Blocking form of the call above.
template <class T>
void gather(const team& among, blocking_t, int root, std::span<const std::type_identity_t<T>> mine,
            std::span<T> blocks, const collective_options& how = {},
            call_site site = call_site::current()) {
  collective::detail::run(among, detail::gather_call<T>(among, root, mine, blocks, how, site));
}
/// Persistent form of the call above, to be started often.
template <class T>
[[nodiscard]] collective::persistent gather(const team& among, persist_t, int root,
                                            std::span<const std::type_identity_t<T>> mine,
                                            std::span<T> blocks, const collective_options& how = {},
                                            call_site site = call_site::current()) {
  return collective::detail::prepare(among,
                                     detail::gather_call<T>(among, root, mine, blocks, how, site));
}

/// In-place form. At `root`, `data` has room for all blocks and already holds the root's own block.
/// At the other members `data` is their block and does not change. All members use this form, or
/// none.
template <class T>
[[nodiscard]] request gather(const team& among, int root, in_place_t, std::span<T> data,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::gather_in_place_call(among, root, data, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class T>
auto gather(const team& among, Form form, int root, in_place_t, std::span<T> data,
            const collective_options& how = {}, call_site site = call_site::current()) {
  return collective::detail::perform(among, form,
                                     detail::gather_in_place_call(among, root, data, how, site));
}

}  // namespace upwash
