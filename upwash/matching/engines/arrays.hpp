// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A linked list of arrays (Ghazimirsaeed 2019, 6.2, figures 6.2, 6.3, 6.5): keys lie beside each
// other, so a cache line brings several. find is O(n), with few cache misses.
#pragma once

#include "upwash/matching/engines/detail/block_chain.hpp"

namespace upwash::matching {
namespace detail {

/// With `Capacity` 3 a block's keys fill one cache line: two posted, or three unexpected ones (the
/// posted key carries its wildcards apart in the paper; here both keys are as long, and the
/// smaller count is kept for the comparison).
template <std::uint32_t Capacity>
struct alignas(64) array_block : block_head<array_block<Capacity>> {
  struct key {
    std::uint32_t context;
    std::int32_t source;
    std::int32_t tag;
  };
  struct needle {
    needle(const envelope& e, side /*which*/) : wanted(e) {}
    envelope wanted;
  };

  [[nodiscard]] static constexpr std::uint32_t capacity(side which) noexcept {
    return Capacity == 3 && which == side::posted ? 2 : Capacity;
  }
  void keep(std::uint32_t at, const entry& e, side /*which*/) noexcept {
    keys[at] = {e.what.context, e.what.source, e.what.tag};
  }
  void clear(std::uint32_t /*at*/, side /*which*/) noexcept {}

  [[nodiscard]] entry* first_fit(const needle& sought, costs& spent) const noexcept {
    const envelope& w = sought.wanted;
    for (std::uint32_t i = this->begin; i < this->end; ++i) {
      if (held[i] == nullptr) {
        ++spent.holes;
        continue;
      }
      ++spent.traversals;
      const key& k = keys[i];
      if (fit({k.context, k.source, k.tag}, w)) return held[i];
    }
    return nullptr;
  }

  entry* held[Capacity] = {};
  key keys[Capacity];
};

}  // namespace detail

using arrays_line = detail::block_chain<detail::array_block<3>>;   ///< one cache line of keys
using arrays = detail::block_chain<detail::array_block<64>>;       ///< good on today's processors
using arrays_l1 = detail::block_chain<detail::array_block<1360>>;  ///< the paper's 32 KiB of keys

}  // namespace upwash::matching
