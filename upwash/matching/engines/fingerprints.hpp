// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ordered blocks of 16-bit fingerprints of (context, source, tag), wild fields made wild first; a
// hit is checked exactly. find is O(n / lanes), at 0.01 to 0.02 ns an entry.
#pragma once

#include "upwash/matching/engines/detail/block_chain.hpp"
#include "upwash/matching/engines/detail/compare.hpp"

namespace upwash::matching {
namespace detail {

/// Never 0, which marks a hole.
[[nodiscard]] constexpr std::uint16_t fingerprint(const envelope& e) noexcept {
  const auto print = static_cast<std::uint16_t>(mixed(e) >> 48U);
  return print != 0 ? print : std::uint16_t{1};
}

/// A posted entry has one fingerprint, of its own class, and what is looked for has one for each
/// class. An unexpected entry has one for each class, and what is looked for has its own.
struct fingerprint_block : block_head<fingerprint_block> {
  static constexpr std::uint32_t places = 512;
  struct needle {
    needle(const envelope& e, side which) : wanted(e), on(which) {
      if (which == side::unexpected) {
        row = wild_class(e);
        prints[0] = prints[1] = prints[2] = prints[3] = fingerprint(e);
        return;
      }
      for (unsigned c = 0; c < wild_classes; ++c) prints[c] = fingerprint(project(e, c));
    }
    envelope wanted;
    side on;
    unsigned row = 0;
    std::uint16_t prints[wild_classes];
  };

  [[nodiscard]] static constexpr std::uint32_t capacity(side /*which*/) noexcept { return places; }

  void keep(std::uint32_t at, const entry& e, side which) noexcept {
    rows[0][at] = fingerprint(e.what);
    classes |= 1U << wild_class(e.what);
    if (which == side::posted) return;
    for (unsigned c = 1; c < wild_classes; ++c) rows[c][at] = fingerprint(project(e.what, c));
  }
  void clear(std::uint32_t at, side which) noexcept {
    if (live == 1) classes = 0;  // this is the last one
    rows[0][at] = 0;
    if (which == side::posted) return;
    for (unsigned c = 1; c < wild_classes; ++c) rows[c][at] = 0;
  }

  [[nodiscard]] entry* first_fit(const needle& sought, costs& spent) const noexcept {
    const bool several = sought.on == side::posted && classes != 1;
    for (std::uint32_t at = begin; at < end; ++at) {
      at = several ? next_of_four(rows[sought.row], at, end, sought.prints)
                   : next_equal(rows[sought.row], at, end, sought.prints[0]);
      if (at >= end) break;
      if (fit(held[at]->what, sought.wanted)) {
        spent.traversals += at + 1 - begin;
        return held[at];
      }
    }
    spent.traversals += live;
    spent.holes += end - begin - live;
    return nullptr;
  }

  std::uint32_t classes = 0;  ///< bits of the wild classes inside
  /// Compares read up to `slack` places past the end.
  alignas(64) std::uint16_t rows[wild_classes][places + slack] = {};
  entry* held[places] = {};
};

}  // namespace detail

using fingerprints = detail::block_chain<detail::fingerprint_block>;

}  // namespace upwash::matching
