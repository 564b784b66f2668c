// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A subtree is a range of positions, which count from the root on: its blocks lie one behind the
// other in the scratch of its ranks, and so they do at the root, but for one subtree that goes on
// behind the last rank with rank 0. The root has that one's blocks in two parts, which are messages
// of their own.
#include "upwash/collective/algorithms/trees_of_blocks.hpp"

#include <algorithm>

#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

using model::tree_place;
using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::milestone;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::step;
using schedule::steps;

namespace {

struct tree_of_blocks {
  tree_place here;
  std::uint64_t bytes;  ///< of a block

  [[nodiscard]] bool passes_on() const noexcept { return !here.is_root() && !here.is_leaf(); }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept {
    return passes_on() ? static_cast<std::uint64_t>(here.size()) * bytes : 0;
  }
  [[nodiscard]] piece blocks(buffer of, int first, int count) const noexcept {
    return {of, static_cast<std::uint64_t>(first) * bytes,
            static_cast<std::uint64_t>(count) * bytes};
  }
  [[nodiscard]] tree_place::subtree mine() const noexcept { return {here.position(), here.size()}; }
  /// In the scratch of this rank.
  [[nodiscard]] piece in_scratch(const tree_place::subtree& below) const noexcept {
    return blocks(buffer::scratch, below.position - here.position(), below.size);
  }
  /// The blocks of a subtree that lie before those of rank 0.
  [[nodiscard]] int before_end(const tree_place::subtree& of) const noexcept {
    return std::min(of.size, here.ranks() - here.rank_of(of.position));
  }
  [[nodiscard]] int parts(const tree_place::subtree& of) const noexcept {
    return before_end(of) == of.size ? 1 : 2;
  }
  /// At the root.
  [[nodiscard]] piece part_at_root(const tree_place::subtree& of, int part,
                                   buffer in) const noexcept {
    const int before = before_end(of);
    return part == 0 ? blocks(in, here.rank_of(of.position), before)
                     : blocks(in, 0, of.size - before);
  }
  /// At the child that has them, in scratch.
  [[nodiscard]] piece part_at_child(int part) const noexcept {
    const int before = parts_above() == 1 ? here.size() : before_end(mine());
    return part == 0 ? blocks(buffer::scratch, 0, before)
                     : blocks(buffer::scratch, before, here.size() - before);
  }
  /// Messages between this rank and its parent.
  [[nodiscard]] int parts_above() const noexcept {
    return here.parent() == here.root() ? parts(mine()) : 1;
  }
};

/// A message a part. Leaves get theirs where it belongs.
steps scatter_down(script& out, tree_of_blocks tree) {
  const tree_place& here = tree.here;
  const piece result{buffer::output, 0, tree.bytes};
  if (here.is_leaf() && !here.is_root()) {
    co_yield out.receive(here.parent(), 0, result).placed();
    co_return;
  }
  milestone have;
  for (int part = 0; !here.is_root() && part < tree.parts_above(); ++part) {
    const auto edge = static_cast<std::uint32_t>(part);
    have.set(co_yield out.receive(here.parent(), edge, tree.part_at_child(part))
                 .in_round(0)
                 .after(have.at()));
  }
  for (int i = here.children() - 1; i >= 0; --i) {
    const auto below = here.child(i);
    const int to = here.rank_of(below.position);
    for (int part = 0; part < (here.is_root() ? tree.parts(below) : 1); ++part) {
      const auto edge = static_cast<std::uint32_t>(part);
      const auto sent = out.send(
          to, edge,
          here.is_root() ? tree.part_at_root(below, part, buffer::input) : tree.in_scratch(below));
      if (below.size == 1) sent.placed(result);
      have.pass(co_yield sent.in_round(0).after(have.at()));
    }
  }
  const piece own = here.is_root() ? tree.blocks(buffer::input, here.root(), 1)
                                   : tree.blocks(buffer::scratch, 0, 1);
  co_yield out.copy(own, result).after(have.at());
}

/// Behind what was kept and, emitted just before it, all that came.
template <class Step>
Step behind(const Step& s, mark kept, int came) {
  if (came >= static_cast<int>(step::most_dependencies)) return s.after_all();
  for (int i = 0; kept != never && i <= came; ++i) s.after(kept - static_cast<mark>(i));
  return s;
}

/// Edges are numbered by which child it is; behind those is that of the one second part.
steps gather_up(script& out, tree_of_blocks tree, std::uint32_t second_part) {
  const tree_place& here = tree.here;
  const auto edge_of = [second_part](int child, int part) {
    return part == 0 ? static_cast<std::uint32_t>(child) : second_part;
  };
  for (int i = 0; i < here.children(); ++i) {
    const auto below = here.child(i);
    const int from = here.rank_of(below.position);
    if (!here.is_root()) {
      co_yield out.receive(from, edge_of(i, 0), tree.in_scratch(below)).in_round(0);
      continue;
    }
    for (int part = 0; part < tree.parts(below); ++part) {
      const piece blocks = tree.part_at_root(below, part, buffer::output);
      co_yield out.receive(from, edge_of(i, part), blocks).placed().in_round(0);
    }
  }
  const piece own{buffer::input, 0, tree.bytes};
  if (here.is_root()) {
    co_yield out.copy(own, tree.blocks(buffer::output, here.root(), 1));
    co_return;
  }
  mark kept = never;
  if (tree.passes_on()) kept = co_yield out.copy(own, tree.blocks(buffer::scratch, 0, 1));
  for (int part = 0; part < tree.parts_above(); ++part) {
    const piece going = here.is_leaf() ? own : tree.part_at_child(part);
    const auto sent = out.send(here.parent(), edge_of(here.index(), part), going).in_round(0);
    if (here.parent() == here.root()) {
      sent.placed(tree.part_at_root(tree.mine(), part, buffer::output));
    }
    co_yield behind(sent, kept, here.children());
  }
}

}  // namespace

generator tree_scatter(int ranks, int rank, int root, std::uint64_t bytes,
                       const model::tree_shape& shape) {
  const tree_of_blocks tree{tree_place(shape, ranks, root, rank), bytes};
  const auto children = static_cast<std::uint32_t>(tree.here.children());
  // In two parts what comes, then what goes.
  return {{.window = std::min(2 + children, milestone::reach),
           .scratch_bytes = tree.scratch_bytes(),
           .edges_apart = true},
          [=](script& out) { return scatter_down(out, tree); }};
}

generator tree_gather(int ranks, int rank, int root, std::uint64_t bytes,
                      const model::tree_shape& shape) {
  const tree_of_blocks tree{tree_place(shape, ranks, root, rank), bytes};
  const auto second = static_cast<std::uint32_t>(tree_place::widest(shape, ranks));
  // Two sends, at most, behind as many steps as a step can name.
  return {{.window = step::most_dependencies + 1,
           .scratch_bytes = tree.scratch_bytes(),
           .edges_apart = true},
          [=](script& out) { return gather_up(out, tree, second); }};
}

}  // namespace upwash::collective
