// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options and internals that the collectives of neighbors share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "upwash/base/call_site.hpp"
#include "upwash/collective/all_gather_v.hpp"
#include "upwash/collective/options.hpp"
#include "upwash/collective/persistent.hpp"
#include "upwash/core/blocking.hpp"
#include "upwash/core/items.hpp"
#include "upwash/core/request.hpp"
#include "upwash/neighborhood/neighborhood.hpp"

namespace upwash {

/// Options of a call; the same at all members.
struct neighbor_options {
  /// NAME[:key=value,...], as `upwash schedule neighbor_all_gather` lists them. best: the scheme
  /// with the cheapest rounds on the machine, for this graph and size.
  std::string_view scheme = "best";
  /// Items of a block in an all-to-all, for members without neighbors. Their buffers do not show
  /// the length, and they may forward the blocks of others.
  std::optional<std::size_t> items{};
  /// Options for the edges' transfers and the members' assumptions about each other. An algorithm
  /// is refused.
  collective_options edges{};
};

namespace neighborhoods::detail {

enum class what : std::uint8_t { all_gather, all_to_all };

/// A call on bytes with equal blocks.
struct equal_call {
  what of = what::all_gather;
  std::uint64_t bytes = 0;  ///< bytes of a block
  std::span<const std::byte> input;
  std::span<std::byte> output;
};

/// Blocks of different lengths and their offsets, in bytes. Read before the call returns.
struct uneven_call {
  what of = what::all_gather;
  std::uint64_t own = 0;                     ///< all-gather: length of the block, the whole input
  std::span<const std::uint64_t> sent{};     ///< all-to-all: by destination
  std::span<const std::uint64_t> sent_at{};  ///< empty: one after the other, also for `received_at`
  std::span<const std::uint64_t> received{};  ///< by source
  std::span<const std::uint64_t> received_at{};
  std::span<const std::byte> input{};
  std::span<std::byte> output{};
};

/// Counts and offsets of items, converted to bytes. Throws `error` (argument) if they exceed 64
/// bits.
class block_bytes {
 public:
  block_bytes(const neighborhood& on, what of, const member_counts& blocks, std::size_t item_bytes);
  [[nodiscard]] std::span<const std::uint64_t> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::uint64_t> at() const noexcept { return at_; }

 private:
  std::vector<std::uint64_t> bytes_;
  std::vector<std::uint64_t> at_;
};

/// Blocks anywhere in memory, as offsets in the address range that contains them all.
class blocks_anywhere {
 public:
  blocks_anywhere(std::span<const std::span<const std::byte>> sent,
                  std::span<const std::span<std::byte>> received);
  [[nodiscard]] uneven_call call() const noexcept;

 private:
  struct places {
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint64_t> at;
  };
  places sent_;
  places received_;
  std::span<const std::byte> input_;
  std::span<std::byte> output_;
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

template <class T>
[[nodiscard]] uneven_call all_gather_v_call(std::span<const T> mine, std::span<T> all,
                                            const block_bytes& came) {
  return {.of = what::all_gather,
          .own = mine.size_bytes(),
          .received = came.bytes(),
          .received_at = came.at(),
          .input = std::as_bytes(mine),
          .output = std::as_writable_bytes(all)};
}
template <class T>
[[nodiscard]] uneven_call all_to_all_v_call(std::span<const T> in, const block_bytes& goes,
                                            std::span<T> out, const block_bytes& came) {
  return {.of = what::all_to_all,
          .sent = goes.bytes(),
          .sent_at = goes.at(),
          .received = came.bytes(),
          .received_at = came.at(),
          .input = std::as_bytes(in),
          .output = std::as_writable_bytes(out)};
}

/// Returns the items of a block of an all-to-all. Throws `error` (argument) if a member without
/// neighbors gives no number.
[[nodiscard]] std::size_t items_of_block(const neighborhood& on, const neighbor_options& how,
                                         std::size_t in, std::size_t out);
/// Returns the bytes of a block. Throws `error` (argument) if they exceed 64 bits.
[[nodiscard]] std::uint64_t bytes_of_block(const neighborhood& on, what of, std::size_t items,
                                           std::size_t item_bytes);
/// Throws `error` (argument) unless `items` equals `blocks` times `each`.
void check_items(const neighborhood& on, what of, const char* buffer, std::size_t items,
                 std::size_t blocks, std::size_t each);

}  // namespace neighborhoods::detail
}  // namespace upwash
