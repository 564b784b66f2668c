// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/rooted_v.hpp"

#include <algorithm>
#include <numeric>

namespace upwash::collective {

using model::tree_place;
using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::slots;
using schedule::steps;

namespace {

steps gather_direct(script& out, blocks at_root, int root, int rank) {
  if (rank != root) {
    const piece own{buffer::input, 0, out.input_bytes()};
    co_yield out.send(root, static_cast<std::uint32_t>(rank), own);
    co_return;
  }
  const piece own = at_root.at(out, buffer::output, root);
  co_yield out.copy(piece{buffer::input, 0, own.bytes}, own);
  for (int member = 0; member < at_root.members(); ++member) {
    if (member == root) continue;
    const auto edge = static_cast<std::uint32_t>(member);
    co_yield out.receive(member, edge, at_root.at(out, buffer::output, member));
  }
}

steps scatter_direct(script& out, blocks at_root, int root, int rank) {
  if (rank != root) {
    const piece own{buffer::output, 0, out.output_bytes()};
    co_yield out.receive(root, static_cast<std::uint32_t>(rank), own);
    co_return;
  }
  for (int member = 0; member < at_root.members(); ++member) {
    if (member == root) continue;
    const auto edge = static_cast<std::uint32_t>(member);
    co_yield out.send(member, edge, at_root.at(out, buffer::input, member));
  }
  const piece own = at_root.at(out, buffer::input, root);
  co_yield out.copy(own, piece{buffer::output, 0, own.bytes});
}

// In trees: slot i tells the bytes of the block i positions behind the rank's own. Each rank's
// scratch holds the blocks of its subtree by position; edges are numbered by which child it is.

slots lengths_of(const tree_place& here, const tree_place::subtree& below) {
  return {static_cast<std::uint32_t>(below.position - here.position()),
          static_cast<std::uint32_t>(below.size)};
}

/// Of the blocks from slot `first` on.
std::uint64_t sum_of(const script& in, std::uint32_t first, std::uint32_t count) {
  const auto words = in.words().subspan(first, count);
  return std::accumulate(words.begin(), words.end(), std::uint64_t{0});
}

/// Where the blocks of a subtree lie in the scratch of the rank above it.
piece blocks_of(const script& in, slots of) {
  return {buffer::scratch, sum_of(in, 0, of.first), sum_of(in, of.first, of.count)};
}

std::uint32_t lengths_edge(int child) { return 2 * static_cast<std::uint32_t>(child); }
std::uint32_t blocks_edge(int child) { return 2 * static_cast<std::uint32_t>(child) + 1; }

void note_lengths(const script& in, const blocks& at_root, const tree_place& here) {
  for (int i = 0; i < here.size(); ++i) {
    in.words()[static_cast<std::size_t>(i)] = at_root.bytes(in, here.rank_of(i));
  }
}

steps gather_by_tree(script& out, blocks at_root, tree_place here) {
  if (here.is_root()) {
    note_lengths(out, at_root, here);
  } else {
    out.words()[0] = out.input_bytes();
    for (int i = 0; i < here.children(); ++i) {
      const auto below = here.child(i);
      co_yield out.receive(here.rank_of(below.position), lengths_edge(i), {})
          .with_header(lengths_of(here, below));
    }
  }
  const auto size = static_cast<std::uint32_t>(here.size());
  if (here.is_root() || !here.is_leaf()) {
    co_yield out.stage();  // the lengths are here
    co_yield out.grow(sum_of(out, 0, size));
  }
  if (!here.is_root() && here.parent() != here.root()) {
    co_yield out.send(here.parent(), lengths_edge(here.index()), {}).with_header({0, size});
  }
  const piece own{buffer::input, 0, out.words()[0]};
  if (here.is_leaf() && !here.is_root()) {
    co_yield out.send(here.parent(), blocks_edge(here.index()), own);
    co_return;
  }
  co_yield out.copy(own, piece{buffer::scratch, 0, own.bytes});
  for (int i = 0; i < here.children(); ++i) {
    const auto below = here.child(i);
    co_yield out.receive(here.rank_of(below.position), blocks_edge(i),
                         blocks_of(out, lengths_of(here, below)));
  }
  if (!here.is_root()) {
    const piece all{buffer::scratch, 0, sum_of(out, 0, size)};
    co_yield out.send(here.parent(), blocks_edge(here.index()), all).after_all();
    co_return;
  }
  co_yield out.stage();
  std::uint64_t begin = 0;
  for (int i = 0; i < here.size(); ++i) {
    const piece block = at_root.at(out, buffer::output, here.rank_of(i));
    co_yield out.copy(piece{buffer::scratch, begin, block.bytes}, block);
    begin += block.bytes;
  }
}

/// To the children: the lengths, but for leaves, which know theirs, and the blocks.
steps scatter_by_tree(script& out, blocks at_root, tree_place here) {
  const auto size = static_cast<std::uint32_t>(here.size());
  if (here.is_root()) {
    note_lengths(out, at_root, here);
    co_yield out.grow(sum_of(out, 0, size));
    std::uint64_t begin = 0;
    for (int i = 0; i < here.size(); ++i) {
      const piece block = at_root.at(out, buffer::input, here.rank_of(i));
      co_yield out.copy(block, piece{buffer::scratch, begin, block.bytes});
      begin += block.bytes;
    }
    co_yield out.stage();
  } else if (here.is_leaf()) {
    const piece own{buffer::output, 0, out.output_bytes()};
    co_yield out.receive(here.parent(), blocks_edge(here.index()), own);
    co_return;
  } else {
    co_yield out.receive(here.parent(), lengths_edge(here.index()), {}).with_header({0, size});
    co_yield out.stage();
    co_yield out.grow(sum_of(out, 0, size));
    const piece all{buffer::scratch, 0, sum_of(out, 0, size)};
    co_yield out.receive(here.parent(), blocks_edge(here.index()), all);
    co_yield out.stage();
  }
  // The last children have the deepest subtrees.
  for (int i = here.children() - 1; i >= 0; --i) {
    const auto below = here.child(i);
    const slots lengths = lengths_of(here, below);
    const int to = here.rank_of(below.position);
    if (below.size > 1) co_yield out.send(to, lengths_edge(i), {}).with_header(lengths);
    co_yield out.send(to, blocks_edge(i), blocks_of(out, lengths));
  }
  const piece own{buffer::scratch, 0, out.words()[0]};
  co_yield out.copy(own, piece{buffer::output, 0, own.bytes});
}

/// Few steps wait for others; the rest is room for messages to overlap.
constexpr std::uint32_t overlapping = 32;

schedule::needs needs_of(const tree_place& here) {
  return {.window = overlapping,
          .slots = static_cast<std::uint32_t>(here.size()),
          .edges_apart = true,
          .given = true};
}

}  // namespace

generator direct_gather_v(const blocks& at_root, int root, int rank) {
  return {{.window = overlapping, .edges_apart = true, .given = true},
          [=](script& out) { return gather_direct(out, at_root, root, rank); }};
}

generator direct_scatter_v(const blocks& at_root, int root, int rank) {
  return {{.window = overlapping, .edges_apart = true, .given = true},
          [=](script& out) { return scatter_direct(out, at_root, root, rank); }};
}

generator tree_gather_v(const blocks& at_root, int root, int rank, const model::tree_shape& shape) {
  const tree_place here(shape, at_root.members(), root, rank);
  return {needs_of(here), [=](script& out) { return gather_by_tree(out, at_root, here); }};
}

generator tree_scatter_v(const blocks& at_root, int root, int rank,
                         const model::tree_shape& shape) {
  const tree_place here(shape, at_root.members(), root, rank);
  return {needs_of(here), [=](script& out) { return scatter_by_tree(out, at_root, here); }};
}

}  // namespace upwash::collective
