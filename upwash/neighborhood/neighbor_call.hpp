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

/// The same at all members.
struct neighbor_options {
  /// NAME[:key=value,...], as `upwash schedule neighbor_all_gather` lists them; best: the one whose
  /// rounds cost least on the machine, for this graph and size.
  std::string_view scheme = "best";
  /// Of a block, in an all-to-all: for members without neighbours, who cannot tell it from their
  /// buffers and may hand on the blocks of others.
  std::optional<std::size_t> items{};
  /// How edges travel, and what members may assume of each other; an algorithm is refused.
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
  std::uint64_t own = 0;                      ///< all-gather: the block, the whole input
  std::span<const std::uint64_t> sent{};      ///< all-to-all: by destination
  std::span<const std::uint64_t> sent_at{};   ///< empty: one behind the other, as `received_at`
  std::span<const std::uint64_t> received{};  ///< by source
  std::span<const std::uint64_t> received_at{};
  std::span<const std::byte> input{};
  std::span<std::byte> output{};
};

/// Counts and offsets of items as bytes. Throws `error` (argument) for more than 64 bits hold.
class block_bytes {
 public:
  block_bytes(const neighborhood& on, what of, const member_counts& blocks, std::size_t item_bytes);
  [[nodiscard]] std::span<const std::uint64_t> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::uint64_t> at() const noexcept { return at_; }

 private:
  std::vector<std::uint64_t> bytes_;
  std::vector<std::uint64_t> at_;
};

/// Blocks anywhere in memory, as places in the stretch that holds them all.
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

/// The items of a block of an all-to-all. Throws `error` (argument) where a member without
/// neighbours does not say it.
[[nodiscard]] std::size_t items_of_block(const neighborhood& on, const neighbor_options& how,
                                         std::size_t in, std::size_t out);
/// Throws `error` (argument) for more than 64 bits hold.
[[nodiscard]] std::uint64_t bytes_of_block(const neighborhood& on, what of, std::size_t items,
                                           std::size_t item_bytes);
/// Throws `error` (argument) unless `items` are `blocks` blocks of `each`.
void check_items(const neighborhood& on, what of, const char* buffer, std::size_t items,
                 std::size_t blocks, std::size_t each);

}  // namespace neighborhoods::detail
}  // namespace upwash
