// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-all (personalised): everybody's own data for everybody, of one size or of sizes of their
// own (v).
//
// Chosen on: bytes of a pair (v: on the size of the team alone: counts differ from rank to rank),
// the size and layout of the team. Collective over the team.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// Where the data of each member lies in a buffer, in bytes, by member. The arrays are the
/// executor's until the request is complete.
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

/// Throws `error` (argument) for blocks outside their buffers.
[[nodiscard]] collective::detail::bound_call all_to_all_v_call(
    const team& among, std::span<const std::byte> input, const member_blocks& to,
    std::span<std::byte> output, const member_blocks& from, const collective_options& how,
    call_site site);

}  // namespace detail

/// Block j of `input` of member i lands as block i of `output` of member j; all blocks have
/// input.size() / P elements. The buffers do not overlap. Throws `error` (argument) where the sizes
/// do not fit.
template <class T>
[[nodiscard]] request all_to_all(const team& among, std::span<const std::type_identity_t<T>> input,
                                 std::span<T> output, const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::all_to_all_call<T>(among, input, output, how, site));
}
/// The same, blocking.
template <class T>
void all_to_all(const team& among, blocking_t, std::span<const std::type_identity_t<T>> input,
                std::span<T> output, const collective_options& how = {},
                call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_to_all_call<T>(among, input, output, how, site));
}
/// The same, set up to be started often.
template <class T>
[[nodiscard]] collective::persistent all_to_all(const team& among, persist_t,
                                                std::span<const std::type_identity_t<T>> input,
                                                std::span<T> output,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  return collective::detail::prepare(among,
                                     detail::all_to_all_call<T>(among, input, output, how, site));
}

/// The same in place: block j of `data` of member i lands as block i of `data` of member j. Takes
/// as much scratch: the blocks are copied before they go.
template <class T>
[[nodiscard]] request all_to_all(const team& among, in_place_t, std::span<T> data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(among, detail::all_to_all_in_place_call(among, data, how, site));
}
/// The same, blocking or persistent.
template <detail::form_of_call Form, class T>
auto all_to_all(const team& among, Form form, in_place_t, std::span<T> data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  return collective::detail::perform(among, form,
                                     detail::all_to_all_in_place_call(among, data, how, site));
}

/// to.bytes[j] bytes at to.offsets[j] of `input` of member i land at from.offsets[i] of `output` of
/// member j, whose from.bytes[i] is the same number. The blocks of `output` do not overlap. Throws
/// `error` (argument) for blocks outside their buffers; (fault) where the numbers differ.
[[nodiscard]] inline request all_to_all_v(const team& among, std::span<const std::byte> input,
                                          const member_blocks& to, std::span<std::byte> output,
                                          const member_blocks& from,
                                          const collective_options& how = {},
                                          call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::all_to_all_v_call(among, input, to, output, from, how, site));
}
/// The same, blocking: at all members or at none, since the algorithm may change (adapt.hpp).
inline void all_to_all_v(const team& among, blocking_t, std::span<const std::byte> input,
                         const member_blocks& to, std::span<std::byte> output,
                         const member_blocks& from, const collective_options& how = {},
                         call_site site = call_site::current()) {
  collective::detail::run(among,
                          detail::all_to_all_v_call(among, input, to, output, from, how, site));
}

/// The same, set up to be started often: the blocks stay as they are, also where they lie.
[[nodiscard]] inline collective::persistent all_to_all_v(
    const team& among, persist_t, std::span<const std::byte> input, const member_blocks& to,
    std::span<std::byte> output, const member_blocks& from, const collective_options& how = {},
    call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::all_to_all_v_call(among, input, to, output, from, how, site));
}

}  // namespace upwash
