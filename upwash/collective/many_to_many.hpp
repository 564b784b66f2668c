// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many-to-many: each member has data for some others, and nobody knows who sends to him. Also how
// sparse neighborhoods find out about each other.
//
// Chosen on: the size of the team. Messages: two for each pair that talks, O(log P) more a rank.
// Collective over the team.
#pragma once

#include <cstdint>
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

namespace detail {

/// Throws `error` (argument) for destinations outside the team and data outside the buffer.
[[nodiscard]] collective::detail::bound_call many_to_many_call(
    const team& among, std::span<const std::byte> buffer, const outgoing_messages& messages,
    const collective::arrival& taken, const collective_options& how, call_site site);

}  // namespace detail

/// Every message is handed to `taken` at its destination, once, in no order; when the request is
/// complete all messages for this rank have been handed over. Any number and sizes, also none.
[[nodiscard]] inline request many_to_many(const team& among, std::span<const std::byte> buffer,
                                          const outgoing_messages& messages,
                                          const collective::arrival& taken,
                                          const collective_options& how = {},
                                          call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::many_to_many_call(among, buffer, messages, taken, how, site));
}
/// The same, blocking.
inline void many_to_many(const team& among, blocking_t, std::span<const std::byte> buffer,
                         const outgoing_messages& messages, const collective::arrival& taken,
                         const collective_options& how = {},
                         call_site site = call_site::current()) {
  collective::detail::run(among,
                          detail::many_to_many_call(among, buffer, messages, taken, how, site));
}

}  // namespace upwash
