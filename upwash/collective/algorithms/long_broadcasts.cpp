// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/long_broadcasts.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/even_blocks.hpp"
#include "upwash/collective/algorithms/detail/segments.hpp"
#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

using detail::cut;
using detail::even_blocks;
using detail::segments;
using model::tree_place;
using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::milestone;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

/// Neighbours of a rank in one of two trees; -1: none.
struct links {
  int parent = -1;
  int lower = -1;
  int upper = -1;
};

/// Places of a tree are numbered in order from 1 on; the lowest bit of one is its height. Odd
/// places are leaves.
int height_bit(int place) { return place & -place; }

/// The place above; 0: it is the top, the highest power of two.
int above(int place, int places) {
  const int bit = height_bit(place);
  const std::int64_t up = (std::int64_t{place} ^ bit) | (std::int64_t{bit} << 1U);
  return up <= places ? static_cast<int>(up) : place ^ bit;
}

/// The nearest place below whose number is higher; 0: none.
int below_upwards(int place, int places) {
  for (int bit = height_bit(place) >> 1U; bit != 0; bit >>= 1U) {
    if (bit <= places - place) return place + bit;
  }
  return 0;
}

/// The links of a rank, counted from the root on. The second tree is the first one mirrored; where
/// that would have the same leaves, moved by one.
links links_in(bool second, int ranks, int root, int position) {
  const int places = ranks - 1;
  const bool mirrored = second && places % 2 == 0;
  const bool moved = second && !mirrored;
  const auto rank_at = [&](int place) {
    if (mirrored) place = places + 1 - place;
    if (moved) place = place == 1 ? places : place - 1;
    return wrapped(std::int64_t{place} + root, ranks);
  };
  if (places == 0) return {};
  if (position == 0) {
    return {.lower = rank_at(static_cast<int>(std::bit_floor(static_cast<unsigned>(places))))};
  }
  int place = position;
  if (mirrored) place = places + 1 - place;
  if (moved) place = place % places + 1;
  const int parent = above(place, places);
  const int half = height_bit(place) / 2;
  const int upper = below_upwards(place, places);
  return {.parent = parent == 0 ? root : rank_at(parent),
          .lower = half == 0 ? -1 : rank_at(place - half),
          .upper = upper == 0 ? -1 : rank_at(upper)};
}

/// In each round a segment goes down each tree.
steps down_two_trees(script& out, cut how, std::array<links, 2> trees, bool copies) {
  segments pairs(out, how, {.edges = 2, .together = 2});
  while (co_await pairs.next()) {
    for (std::size_t tree = 0; tree < 2; ++tree) {
      const std::uint64_t which = 2 * pairs.now() + tree;
      if (which == how.segments()) break;
      const auto edge = static_cast<std::uint32_t>(which);
      const piece segment = how.segment(buffer::output, which);
      const links& here = trees[tree];
      mark came = never;
      if (here.parent >= 0) came = co_yield out.receive(here.parent, edge, segment).placed();
      if (copies) {
        came = co_yield out.copy(how.segment(buffer::input, which), segment).in_round(edge);
      }
      for (const int to : {here.lower, here.upper}) {
        if (to >= 0) co_yield out.send(to, edge, segment).placed(segment).after(came);
      }
    }
  }
}

/// The blocks lie by position in the tree, so that those of a subtree lie one behind the other.
struct scattered {
  tree_place here;
  even_blocks blocks;
  bool copies;  ///< the root sends out of its input

  /// `count` blocks from that of position `first` on.
  schedule::send_step send(script& out, int to, std::uint32_t edge, int first, int count) const {
    const piece what = blocks.at(buffer::output, first, count);
    const auto from = copies ? buffer::input : buffer::output;
    return out.send(here.rank_of(to), edge, piece{from, what.offset, what.bytes}).placed(what);
  }
  schedule::receive_step receive(script& out, int from, std::uint32_t edge, int first,
                                 int count) const {
    return out.receive(from, edge, blocks.at(buffer::output, first, count)).placed();
  }
};

/// `passes`: blocks that the next rank gets from this one.
steps scatter_all_gather(script& out, scattered in, int passes) {
  const tree_place& here = in.here;
  const int ranks = here.ranks();
  const std::uint64_t bytes = in.blocks.elements;
  if (in.copies) co_yield out.copy(piece{buffer::input, 0, bytes}, piece{buffer::output, 0, bytes});
  milestone have;  // what goes next
  if (!here.is_root()) {
    have.set(co_yield in.receive(out, here.parent(), 0, here.position(), here.size()));
  }
  for (int i = here.children() - 1; i >= 0; --i) {
    const auto to = here.child(i);
    have.pass(co_yield in.send(out, to.position, 0, to.position, to.size).after(have.at()));
  }
  // In turn t block position - t goes on, which came the turn before or with the scatter, and the
  // one before it comes. A receive waits for that of two turns before, and so for the scatter.
  const int ahead = wrapped(here.position() + std::int64_t{1}, ranks);
  const int behind = here.rank_of(wrapped(here.position() - std::int64_t{1}, ranks));
  const int takes = ranks - here.size();
  std::array<mark, 2> taken{have.at(), have.at()};
  for (int turn = 0; turn < std::max(passes, takes); ++turn) {
    const auto edge = static_cast<std::uint32_t>(turn) + 1;
    const std::int64_t block = std::int64_t{here.position()} - turn;
    if (turn < passes) {
      have.pass(co_yield in.send(out, ahead, edge, wrapped(block, ranks), 1).after(have.at()));
    }
    if (turn < takes) {
      mark& lane = taken[static_cast<std::size_t>(turn % 2)];
      lane = co_yield in.receive(out, behind, edge, wrapped(block - 1, ranks), 1).after(lane);
      have.set(lane);
    }
  }
}

}  // namespace

generator double_tree_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                                std::uint64_t segment_bytes, bool in_place) {
  const int position = wrapped(std::int64_t{rank} - root, ranks);
  const std::array<links, 2> trees{links_in(false, ranks, root, position),
                                   links_in(true, ranks, root, position)};
  const cut how = cut::into(bytes, segment_bytes == 0 ? bytes / 2 + bytes % 2 : segment_bytes);
  const bool copies = rank == root && !in_place;
  return {{.window = 2, .edges_apart = true},
          [=](script& out) { return down_two_trees(out, how, trees, copies); }};
}

generator scatter_all_gather_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                                       const model::tree_shape& shape, bool in_place) {
  const scattered in{.here = tree_place(shape, ranks, root, rank),
                     .blocks = {.members = ranks, .elements = bytes},
                     .copies = rank == root && !in_place};
  const tree_place next(shape, ranks, root, wrapped(std::int64_t{rank} + 1, ranks));
  // The ring brings a rank the blocks of positions before, down to the end of its subtree.
  const int passes = ranks - next.size();
  // A turn has two steps; a receive waits for that of two turns before.
  return {{.window = milestone::reach + 4, .edges_apart = true},
          [=](script& out) { return scatter_all_gather(out, in, passes); }};
}

}  // namespace upwash::collective
