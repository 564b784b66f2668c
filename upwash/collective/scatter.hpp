// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scatter: distributes the root's blocks, one to each member.
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
[[nodiscard]] collective::detail::bound_call scatter_call(const team& among, int root,
                                                          std::span<const T> blocks,
                                                          std::span<T> mine,
                                                          const collective_options& how,
                                                          call_site site) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (among.rank() == root) {
    collective::detail::check_size(among, collective::kind::scatter, "the root's input",
                                   blocks.size(),
                                   mine.size() * static_cast<std::size_t>(among.size()));
  }
  return {{.what = {.of = collective::kind::scatter,
                    .bytes = mine.size_bytes(),
                    .element_bytes = sizeof(T),
                    .root = root},
           .how = how,
           .site = site},
          {.input = std::as_bytes(blocks), .output = std::as_writable_bytes(mine)}};
}

template <class T>
[[nodiscard]] collective::detail::bound_call scatter_in_place_call(const team& among, int root,
                                                                   std::span<T> data,
                                                                   const collective_options& how,
                                                                   call_site site) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto all = among.rank() == root ? static_cast<std::size_t>(among.size()) : 1;
  const std::size_t each = data.size() / all;
  collective::detail::check_size(among, collective::kind::scatter, "the root's buffer", data.size(),
                                 each * all);
  return {{.what = {.of = collective::kind::scatter,
                    .bytes = each * sizeof(T),
                    .element_bytes = sizeof(T),
                    .root = root,
                    .in_place = true},
           .how = how,
           .site = site},
          {.input = std::as_bytes(data), .output = std::as_writable_bytes(data)}};
}

}  // namespace detail

/// Copies block i of `blocks` of `root` to `mine` of member i. All members give the same number of
/// elements. `blocks` is used only at the root. The buffers belong to the call until the request is
/// complete. Nonblocking, collective. Throws `error` (argument) if the sizes do not fit.
template <class T>
[[nodiscard]] request scatter(const team& among, int root,
                              std::span<const std::type_identity_t<T>> blocks, std::span<T> mine,
                              const collective_options& how = {},
                              call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::scatter_call<T>(among, root, blocks, mine, how, site));
}
/// Blocking form of the call above.
template <class T>
void scatter(const team& among, blocking_t, int root,
             std::span<const std::type_identity_t<T>> blocks, std::span<T> mine,
             const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(among, detail::scatter_call<T>(among, root, blocks, mine, how, site));
}
/// Persistent form of the call above, to be started often.
template <class T>
[[nodiscard]] collective::persistent scatter(const team& among, persist_t, int root,
                                             std::span<const std::type_identity_t<T>> blocks,
                                             std::span<T> mine, const collective_options& how = {},
                                             call_site site = call_site::current()) {
  return collective::detail::prepare(among,
                                     detail::scatter_call<T>(among, root, blocks, mine, how, site));
}

/// In-place form. `data` of `root` holds all blocks and does not change; the root's own block stays
/// in it. At each other member `data` gets its block. All members use this form, or none.
template <class T>
[[nodiscard]] request scatter(const team& among, int root, in_place_t, std::span<T> data,
                              const collective_options& how = {},
                              call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::scatter_in_place_call(among, root, data, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class T>
auto scatter(const team& among, Form form, int root, in_place_t, std::span<T> data,
             const collective_options& how = {}, call_site site = call_site::current()) {
  return collective::detail::perform(among, form,
                                     detail::scatter_in_place_call(among, root, data, how, site));
}

}  // namespace upwash
