// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many-to-many: each member has data for some others, or (multicast) one block for some; nobody
// need know who sends to him. Also how sparse neighborhoods find out about each other.
//
// Chosen on: the size of the team, what members say of the pattern, whether they know who sends to
// them. Collective over the team.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// Where a message's data lie and for whom, by message. The arrays are the executor's until the
/// request is complete.
struct outgoing_messages {
  std::span<const std::uint64_t> destinations;  ///< ranks in the team, may repeat
  std::span<const std::uint64_t> bytes;
  std::span<const std::uint64_t> offsets;  ///< in the buffer, in bytes
};

/// What members may say of the messages. `degree` and `bytes` are for choosing an algorithm only:
/// the same on all members, right or not.
struct message_pattern {
  int degree = 0;           ///< destinations a member; 0: all
  std::uint64_t bytes = 0;  ///< of a message, in the mean
  /// The source of each message that comes, in any order: given by all members, or by none. Without
  /// them a member learns only from all others that nothing more comes. A wrong number of them is
  /// an error at some members in checked runs; else members wait forever, or lose what is too much.
  /// The array is the executor's until the request is complete.
  std::optional<std::span<const std::uint64_t>> known_sources{};
};

namespace detail {

/// Throws `error` (argument) for destinations or sources outside the team and data outside the
/// buffer.
[[nodiscard]] collective::detail::bound_call many_to_many_call(
    const team& among, std::span<const std::byte> buffer, const outgoing_messages& messages,
    const collective::collect_handler& taken, const message_pattern& pattern,
    const collective_options& how, call_site site);

[[nodiscard]] collective::detail::bound_call many_to_many_multicast_call(
    const team& among, std::span<const std::byte> block,
    std::span<const std::uint64_t> destinations, const collective::collect_handler& taken,
    const message_pattern& pattern, const collective_options& how, call_site site);

}  // namespace detail

/// Every message is handed to `taken` at its destination, once, in no order; when the request is
/// complete all messages for this rank have been handed over. Any number and sizes, also none.
/// Messages on the way: for each pair that talks one, and an answer where its receiver does not
/// know of it; or, combined, one to each member of a line in each dimension of a grid or cube, in
/// which a byte travels once a dimension at most (Kumar 2005, 3.3.1).
[[nodiscard]] inline request many_to_many(const team& among, std::span<const std::byte> buffer,
                                          const outgoing_messages& messages,
                                          const collective::collect_handler& taken,
                                          const message_pattern& pattern = {},
                                          const collective_options& how = {},
                                          call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::many_to_many_call(among, buffer, messages, taken, pattern, how, site));
}
/// The same, blocking: at all members or at none, since the algorithm may change (adapt.hpp).
inline void many_to_many(const team& among, blocking_t, std::span<const std::byte> buffer,
                         const outgoing_messages& messages,
                         const collective::collect_handler& taken,
                         const message_pattern& pattern = {}, const collective_options& how = {},
                         call_site site = call_site::current()) {
  collective::detail::run(
      among, detail::many_to_many_call(among, buffer, messages, taken, pattern, how, site));
}

/// The same, set up to be started often: the messages stay as many, as long and where they are;
/// their bytes may change between two starts.
[[nodiscard]] inline collective::persistent many_to_many(const team& among, persist_t,
                                                         std::span<const std::byte> buffer,
                                                         const outgoing_messages& messages,
                                                         const collective::collect_handler& taken,
                                                         const message_pattern& pattern = {},
                                                         const collective_options& how = {},
                                                         call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::many_to_many_call(among, buffer, messages, taken, pattern, how, site));
}

/// The block goes to each of `destinations` (ranks in the team; once for each time it is named),
/// where it is handed to `taken`, in no order. Blocks differ in size from member to member; one of
/// no bytes is a message too. The destinations are the executor's until the request is complete.
[[nodiscard]] inline request many_to_many_multicast(const team& among,
                                                    std::span<const std::byte> block,
                                                    std::span<const std::uint64_t> destinations,
                                                    const collective::collect_handler& taken,
                                                    const message_pattern& pattern = {},
                                                    const collective_options& how = {},
                                                    call_site site = call_site::current()) {
  return collective::detail::start(
      among,
      detail::many_to_many_multicast_call(among, block, destinations, taken, pattern, how, site));
}
/// The same, blocking: at all members or at none, since the algorithm may change (adapt.hpp).
inline void many_to_many_multicast(const team& among, blocking_t, std::span<const std::byte> block,
                                   std::span<const std::uint64_t> destinations,
                                   const collective::collect_handler& taken,
                                   const message_pattern& pattern = {},
                                   const collective_options& how = {},
                                   call_site site = call_site::current()) {
  collective::detail::run(among, detail::many_to_many_multicast_call(among, block, destinations,
                                                                     taken, pattern, how, site));
}

/// The same, set up to be started often.
[[nodiscard]] inline collective::persistent many_to_many_multicast(
    const team& among, persist_t, std::span<const std::byte> block,
    std::span<const std::uint64_t> destinations, const collective::collect_handler& taken,
    const message_pattern& pattern = {}, const collective_options& how = {},
    call_site site = call_site::current()) {
  return collective::detail::prepare(
      among,
      detail::many_to_many_multicast_call(among, block, destinations, taken, pattern, how, site));
}

}  // namespace upwash
