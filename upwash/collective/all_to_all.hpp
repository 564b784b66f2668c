// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-all (personalised): every member has a block of its own for every member. The blocks have
// one length, or lengths of their own (v).
//
// The choice of the algorithm depends on the bytes of a pair and the size and layout of the team;
// for v only on the team, since counts differ between ranks. Collective.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// Bytes and byte offset of each member's block in a buffer, by member. The arrays belong to the
/// executor until the request is complete.
struct member_blocks {
  std::span<const std::uint64_t> bytes;
  std::span<const std::uint64_t> offsets;
};

namespace detail {

template <class T>
[[nodiscard]] collective::detail::bound_call all_to_all_call(const team& among,
                                                             std::span<const T> input,
                                                             std::span<T> output,
                                                             const collective_options& how,
                                                             call_site site) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto members = static_cast<std::size_t>(among.size());
  collective::detail::check_size(among, collective::kind::all_to_all, "the output", output.size(),
                                 input.size());
  collective::detail::check_size(among, collective::kind::all_to_all, "the input", input.size(),
                                 input.size() / members * members);
  return {{.what = {.of = collective::kind::all_to_all,
                    .bytes = input.size_bytes() / members,
                    .element_bytes = sizeof(T)},
           .how = how,
           .site = site},
          {.input = std::as_bytes(input), .output = std::as_writable_bytes(output)}};
}

template <class T>
[[nodiscard]] collective::detail::bound_call all_to_all_in_place_call(const team& among,
                                                                      std::span<T> data,
                                                                      const collective_options& how,
                                                                      call_site site) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto members = static_cast<std::size_t>(among.size());
  const std::size_t each = data.size() / members;
  collective::detail::check_size(among, collective::kind::all_to_all, "the buffer", data.size(),
                                 each * members);
  return {{.what = {.of = collective::kind::all_to_all,
                    .bytes = each * sizeof(T),
                    .element_bytes = sizeof(T),
                    .in_place = true},
           .how = how,
           .site = site},
          {.output = std::as_writable_bytes(data)}};
}

/// Throws `error` (argument) if a block lies outside its buffer.
[[nodiscard]] collective::detail::bound_call all_to_all_v_call(
    const team& among, std::span<const std::byte> input, const member_blocks& to,
    std::span<std::byte> output, const member_blocks& from, const collective_options& how,
    call_site site);

}  // namespace detail

/// Copies block j of `input` of member i to block i of `output` of member j. All blocks have
/// input.size() / P elements. The buffers do not overlap and belong to the call until the request
/// is complete. Nonblocking, collective. Throws `error` (argument) if the sizes do not fit.
template <class T>
[[nodiscard]] request all_to_all(const team& among, std::span<const std::type_identity_t<T>> input,
                                 std::span<T> output, const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::all_to_all_call<T>(among, input, output, how, site));
}
/// Blocking form of the call above.
template <class T>
void all_to_all(const team& among, blocking_t, std::span<const std::type_identity_t<T>> input,
                std::span<T> output, const collective_options& how = {},
                call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_to_all_call<T>(among, input, output, how, site));
}
/// Persistent form of the call above, to be started often.
template <class T>
[[nodiscard]] collective::persistent all_to_all(const team& among, persist_t,
                                                std::span<const std::type_identity_t<T>> input,
                                                std::span<T> output,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  return collective::detail::prepare(among,
                                     detail::all_to_all_call<T>(among, input, output, how, site));
}

/// In-place form: copies block j of `data` of member i to block i of `data` of member j. Needs
/// scratch of the size of `data`, because it copies the blocks before it sends them.
template <class T>
[[nodiscard]] request all_to_all(const team& among, in_place_t, std::span<T> data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(among, detail::all_to_all_in_place_call(among, data, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class T>
auto all_to_all(const team& among, Form form, in_place_t, std::span<T> data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  return collective::detail::perform(among, form,
                                     detail::all_to_all_in_place_call(among, data, how, site));
}

/// Copies to.bytes[j] bytes at to.offsets[j] of `input` of member i to from.offsets[i] of `output`
/// of member j. There from.bytes[i] is the same number. The blocks of `output` do not overlap.
/// Buffers and arrays belong to the call until the request is complete. Nonblocking, collective.
/// Throws `error` (argument) if a block lies outside its buffer, and (fault) if the numbers of
/// bytes differ.
[[nodiscard]] inline request all_to_all_v(const team& among, std::span<const std::byte> input,
                                          const member_blocks& to, std::span<std::byte> output,
                                          const member_blocks& from,
                                          const collective_options& how = {},
                                          call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::all_to_all_v_call(among, input, to, output, from, how, site));
}
/// Blocking form. Blocking at all members or at none, because the algorithm may change (adapt.hpp).
inline void all_to_all_v(const team& among, blocking_t, std::span<const std::byte> input,
                         const member_blocks& to, std::span<std::byte> output,
                         const member_blocks& from, const collective_options& how = {},
                         call_site site = call_site::current()) {
  collective::detail::run(among,
                          detail::all_to_all_v_call(among, input, to, output, from, how, site));
}

/// Persistent form: sets the call up to be started often. Lengths and offsets of the blocks do not
/// change between starts.
[[nodiscard]] inline collective::persistent all_to_all_v(
    const team& among, persist_t, std::span<const std::byte> input, const member_blocks& to,
    std::span<std::byte> output, const member_blocks& from, const collective_options& how = {},
    call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::all_to_all_v_call(among, input, to, output, from, how, site));
}

}  // namespace upwash
