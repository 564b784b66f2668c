// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/detail/descent.hpp"

#include <algorithm>

#include "upwash/schedule/milestone.hpp"

namespace upwash::collective::detail {

using schedule::buffer;
using schedule::mark;
using schedule::milestone;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

schedule::receive_step receive(script& out, const descent& what, int from, std::uint32_t edge,
                               const piece& segment) {
  const auto coming = out.receive(from, edge, segment);
  return what.placed ? coming.placed() : coming;
}

schedule::send_step send(script& out, const descent& what, int to, std::uint32_t edge,
                         const piece& segment) {
  const auto going = out.send(to, edge, segment);
  return what.placed ? going.placed(segment) : going;
}

schedule::local_step copy(script& out, const piece& segment) {
  return out.copy(piece{buffer::input, segment.offset, segment.bytes}, segment);
}

}  // namespace

/// In each tree a receive, and sends behind it.
std::uint32_t descent::window() const noexcept {
  std::uint32_t steps = 0;
  for (std::uint32_t level = 0; level < levels; ++level) {
    const auto children = static_cast<std::uint32_t>(trees[level].here.children());
    steps += 1 + std::min(children, milestone::reach);
  }
  return steps;
}

steps descend(script& out, descent what) {
  segments each(out, what.how);
  while (co_await each.next()) {
    const auto edge = static_cast<std::uint32_t>(each.now());
    const piece segment = what.how.segment(buffer::output, each.now());
    mark came = what.from;
    if (what.copies) came = co_yield copy(out, segment).in_round(edge).after(came);
    for (std::uint32_t level = 0; level < what.levels; ++level) {
      const tree_of_members& tree = what.trees[level];
      if (!tree.here.is_root()) {
        came = co_yield receive(out, what, tree.parent(), edge, segment).after(came);
      }
      milestone here;
      here.set(came);
      for (int i = tree.here.children() - 1; i >= 0; --i) {
        here.pass(co_yield send(out, what, tree.child(i), edge, segment).after(here.at()));
      }
    }
  }
}

}  // namespace upwash::collective::detail
