// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many-to-many: each member has data for some other members, or (multicast) one block for some. A
// member need not know its senders. Sparse neighborhoods use it to find each other.
//
// The choice of the algorithm depends on the size of the team, the members' description of the
// pattern, and whether they know their senders. Collective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// Destination, bytes and byte offset of each message. The arrays belong to the executor until the
/// request is complete.
struct outgoing_messages {
  std::span<const std::uint64_t> destinations;  ///< ranks in the team, may repeat
  std::span<const std::uint64_t> bytes;
  std::span<const std::uint64_t> offsets;  ///< in the buffer, in bytes
};

/// A description of the messages by the members. `degree` and `bytes` only guide the choice of an
/// algorithm. They are the same on all members, right or not.
struct message_pattern {
  int degree = 0;           ///< destinations a member; 0: all
  std::uint64_t bytes = 0;  ///< mean size of a message
  /// The source of each incoming message, in any order. All members give it, or none. Without it, a
  /// member must hear from all others that no more messages come. A wrong number of sources is an
  /// error at some members in checked runs. In other runs members wait forever or lose the surplus
  /// messages. The array belongs to the executor until the request is complete.
  std::optional<std::span<const std::uint64_t>> known_sources{};
};

namespace detail {

/// Throws `error` (argument) for destinations or sources outside the team, and for data outside the
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

/// Hands every message to `taken` at its destination, once and in no order. When the request is
/// complete, all messages for this rank have been handed over. Any number and size of messages, 0
/// included. Nonblocking, collective.
///
/// Cost without combining: one message for each pair with data, and an answer if the receiver does
/// not know of the message. Cost with combining: one message to each member of a line in each
/// dimension of a grid or cube; a byte travels at most once in each dimension. Source: Kumar 2005,
/// 3.3.1.
[[nodiscard]] inline request many_to_many(const team& among, std::span<const std::byte> buffer,
                                          const outgoing_messages& messages,
                                          const collective::collect_handler& taken,
                                          const message_pattern& pattern = {},
                                          const collective_options& how = {},
                                          call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::many_to_many_call(among, buffer, messages, taken, pattern, how, site));
}
/// Blocking form. Blocking at all members or at none, because the algorithm may change (adapt.hpp).
inline void many_to_many(const team& among, blocking_t, std::span<const std::byte> buffer,
                         const outgoing_messages& messages,
                         const collective::collect_handler& taken,
                         const message_pattern& pattern = {}, const collective_options& how = {},
                         call_site site = call_site::current()) {
  collective::detail::run(
      among, detail::many_to_many_call(among, buffer, messages, taken, pattern, how, site));
}

/// Persistent form: sets the call up to be started often. The number of messages, their lengths and
/// offsets do not change; their bytes may change between two starts.
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

/// Sends the block to each of `destinations` (ranks in the team; once for each occurrence), which
/// hands it to `taken`, in no order. Blocks may differ in size between members; an empty block is a
/// message too. Block and destinations belong to the executor until the request is complete.
/// Nonblocking, collective.
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
/// Blocking form. Blocking at all members or at none, because the algorithm may change (adapt.hpp).
inline void many_to_many_multicast(const team& among, blocking_t, std::span<const std::byte> block,
                                   std::span<const std::uint64_t> destinations,
                                   const collective::collect_handler& taken,
                                   const message_pattern& pattern = {},
                                   const collective_options& how = {},
                                   call_site site = call_site::current()) {
  collective::detail::run(among, detail::many_to_many_multicast_call(among, block, destinations,
                                                                     taken, pattern, how, site));
}

/// Persistent form of the call above, to be started often.
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
