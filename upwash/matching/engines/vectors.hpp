// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A linked list of vectors (Ghazimirsaeed 2019, 6.3, figure 6.4): tags, sources and contexts of a
// block lie in arrays of their own and are compared together, tag first. find is O(n / lanes).
#pragma once

#include "upwash/matching/engines/detail/block_chain.hpp"
#include "upwash/matching/engines/detail/compare.hpp"

namespace upwash::matching {
namespace detail {

template <std::uint32_t Capacity>
struct alignas(64) vector_block : block_head<vector_block<Capacity>> {
  static_assert(Capacity % lanes == 0);
  struct needle {
    needle(const envelope& e, side /*which*/) : wanted(e) {}
    envelope wanted;
  };

  [[nodiscard]] static constexpr std::uint32_t capacity(side /*which*/) noexcept {
    return Capacity;
  }
  void keep(std::uint32_t at, const entry& e, side /*which*/) noexcept {
    tags[at] = e.what.tag;
    sources[at] = e.what.source;
    contexts[at] = static_cast<std::int32_t>(e.what.context);
  }
  void clear(std::uint32_t /*at*/, side /*which*/) noexcept {}

  [[nodiscard]] entry* first_fit(const needle& sought, costs& spent) const noexcept {
    for (std::uint32_t at = this->begin; at < this->end; ++at) {
      at = next_fitting({tags, sources, contexts}, at, this->end, sought.wanted);
      if (at >= this->end) break;
      // A hole keeps its old key: who is held tells.
      if (held[at] != nullptr) {
        spent.traversals += at + 1 - this->begin;
        return held[at];
      }
    }
    spent.traversals += this->live;
    spent.holes += this->end - this->begin - this->live;
    return nullptr;
  }

  alignas(64) std::int32_t tags[Capacity + lanes] = {};
  alignas(64) std::int32_t sources[Capacity + lanes] = {};
  alignas(64) std::int32_t contexts[Capacity + lanes] = {};
  entry* held[Capacity] = {};
};

}  // namespace detail

using vectors = detail::block_chain<detail::vector_block<16>>;        ///< the paper's 512 bits
using vectors_wide = detail::block_chain<detail::vector_block<256>>;  ///< fewer blocks to chase

}  // namespace upwash::matching
