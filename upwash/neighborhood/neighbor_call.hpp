// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the collectives of neighbours have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "upwash/base/call_site.hpp"
#include "upwash/collective/options.hpp"
#include "upwash/collective/persistent.hpp"
#include "upwash/core/blocking.hpp"
#include "upwash/core/items.hpp"
#include "upwash/core/request.hpp"
#include "upwash/neighborhood/neighborhood.hpp"

namespace upwash {

/// The same at all members.
struct neighbor_options {
  /// NAME[:key=value,...], as `upwash schedule neighbor_all_gather` lists them; best: the one whose
  /// rounds cost least on the machine, for this graph and size.
  std::string_view scheme = "best";
  /// Of a block, in an all-to-all: for members without neighbours, who cannot tell it from their
  /// buffers and may hand on the blocks of others.
  std::optional<std::size_t> items{};
  /// How edges travel, and what members may assume of each other; an algorithm is not chosen here.
  collective_options edges{};
};

namespace neighborhoods::detail {

enum class what : std::uint8_t { all_gather, all_to_all };

/// A call by bytes: equal blocks.
struct equal_call {
  what of = what::all_gather;
  std::uint64_t bytes = 0;  ///< of a block
  std::span<const std::byte> input;
  std::span<std::byte> output;
};

/// Blocks of different lengths, in bytes, and where they begin. Read before the call returns.
struct uneven_call {
  what of = what::all_gather;
  std::span<const std::uint64_t> sent;      ///< all-gather: one
  std::span<const std::uint64_t> sent_at;   ///< empty: one behind the other
  std::span<const std::uint64_t> received;  ///< by source
  std::span<const std::uint64_t> received_at;
  std::span<const std::byte> input;
  std::span<std::byte> output;
};

[[nodiscard]] request start(const neighborhood& on, const equal_call& all,
                            const neighbor_options& how, call_site site);
void run(const neighborhood& on, const equal_call& all, const neighbor_options& how,
         call_site site);
[[nodiscard]] collective::persistent prepare(const neighborhood& on, const equal_call& all,
                                             const neighbor_options& how, call_site site);
[[nodiscard]] request start(const neighborhood& on, const uneven_call& all,
                            const neighbor_options& how, call_site site);
void run(const neighborhood& on, const uneven_call& all, const neighbor_options& how,
         call_site site);
[[nodiscard]] collective::persistent prepare(const neighborhood& on, const uneven_call& all,
                                             const neighbor_options& how, call_site site);

template <class Call>
void perform(const neighborhood& on, blocking_t /*form*/, const Call& all,
             const neighbor_options& how, call_site site) {
  run(on, all, how, site);
}
template <class Call>
[[nodiscard]] collective::persistent perform(const neighborhood& on, persist_t /*form*/,
                                             const Call& all, const neighbor_options& how,
                                             call_site site) {
  return prepare(on, all, how, site);
}

/// The items of a block of an all-to-all. Throws `error` (argument) where a member without
/// neighbours does not say it.
[[nodiscard]] std::size_t items_of_block(const neighborhood& on, const neighbor_options& how,
                                         std::size_t in, std::size_t out);
/// Throws `error` (argument) unless `items` are `blocks` blocks of `each`.
void check_items(const neighborhood& on, what of, const char* buffer, std::size_t items,
                 std::size_t blocks, std::size_t each);

}  // namespace neighborhoods::detail
}  // namespace upwash
