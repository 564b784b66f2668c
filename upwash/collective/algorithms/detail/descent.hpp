// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Down a tree, and where a rank is in two, down one after the other: what broadcasts among nodes
// and then inside them, all-reduce, and broadcasts made of others share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "upwash/collective/algorithms/detail/segments.hpp"
#include "upwash/model/tree.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective::detail {

/// A tree of some ranks of the team, as one of them sees it.
struct tree_of_members {
  model::tree_place here;
  schedule::members among{};

  [[nodiscard]] int parent() const noexcept { return among.rank_of(here.parent()); }
  [[nodiscard]] int child(int index) const noexcept {
    return among.rank_of(here.rank_of(here.child(index).position));
  }
};

/// What a rank does with the segments of its output.
struct descent {
  cut how;
  std::array<tree_of_members, 2> trees;
  std::uint32_t levels = 1;               ///< trees that it is in; of the second it is the root
  bool copies = false;                    ///< the root, out of its input
  bool placed = true;                     ///< the outputs are free when their ranks enter
  schedule::mark from = schedule::never;  ///< from here on the output is free, or filled

  [[nodiscard]] std::uint32_t window() const noexcept;
};

/// Into the largest subtree first.
schedule::steps descend(schedule::script& out, descent what);

}  // namespace upwash::collective::detail
