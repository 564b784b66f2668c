// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-all of items, if only the senders know the numbers of items. Exchanges the numbers first.
//
// Cost: two collectives, an all-to-all of 8 bytes a pair and then all_to_all_v (all_to_all.hpp).
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/collective/all_to_all.hpp"
#include "upwash/collective/exchanged.hpp"
#include "upwash/core/items.hpp"

namespace upwash {

namespace detail {

/// Consecutive blocks without gaps, in bytes.
struct packed_blocks {
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint64_t> offsets;
  std::uint64_t total = 0;

  [[nodiscard]] member_blocks all() const { return {bytes, offsets}; }
};

/// Computes the blocks of the items to send. Throws `error` (argument) unless there is one count
/// for each member, no count is negative, and the counts add up to `items`.
[[nodiscard]] packed_blocks blocks_to_send(const team& among, std::span<const std::int64_t> counts,
                                           std::size_t items, std::size_t item_bytes);
/// Exchanges the block lengths with all members and returns the blocks to receive. Collective,
/// blocking.
[[nodiscard]] packed_blocks blocks_to_come(const team& among, const packed_blocks& sent,
                                           call_site site);

}  // namespace detail

/// Sends the first counts[0] items of `in` to member 0, the next counts[1] items to member 1, and
/// so on. Returns the items that all members sent to this one, and their counts. `T` may be
/// omitted. Blocking at all members, collective. Throws `error` (argument) unless there is one
/// count for each member and the counts add up to the number of items.
///
/// @code
/// std::vector<int> items(static_cast<std::size_t>(2 * world.size()));
/// std::vector<int> counts(static_cast<std::size_t>(world.size()), 2);
/// auto received = upwash::all_to_all_v(world, upwash::blocking, items, counts);
/// // received.data: the items for this member; received.counts[i]: the number from member i
/// @endcode
template <class T = void, class In, class Counts>
requires std::ranges::range<In> && std::ranges::range<Counts>
[[nodiscard]] auto all_to_all_v(const team& among, blocking_t, In&& in, Counts&& counts,
                                const collective_options& how = {},
                                call_site site = call_site::current()) {
  using item = detail::item_of<In>;
  static_assert(std::is_void_v<T> || std::is_same_v<T, item>, "the items are of another type");
  static_assert(std::is_integral_v<detail::item_of<Counts>>, "counts are whole numbers");
  const auto mine = detail::input_items<false, In>(static_cast<In&&>(in));
  std::vector<std::int64_t> numbers;
  for (const auto each : counts) numbers.push_back(static_cast<std::int64_t>(each));
  const auto to = detail::blocks_to_send(among, numbers, mine.size(), sizeof(item));
  const auto from = detail::blocks_to_come(among, to, site);
  exchanged<item> came;
  came.data.resize(from.total / sizeof(item));
  for (const std::uint64_t bytes : from.bytes) came.counts.push_back(bytes / sizeof(item));
  all_to_all_v(among, blocking, std::as_bytes(mine), to.all(),
               std::as_writable_bytes(std::span<item>(came.data)), from.all(), how, site);
  return came;
}

}  // namespace upwash
