// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/tree_barriers.hpp"

#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

using model::tree_place;
using schedule::generator;
using schedule::milestone;
using schedule::script;
using schedule::steps;

namespace {

int child_of(const tree_place& here, int index) { return here.rank_of(here.child(index).position); }

/// Edges up are numbered by which child it is. What comes up waits for what came before, so that
/// the last is behind them all; down, the children with the largest subtrees come first.
steps by_messages(script& out, tree_place here, std::uint32_t down) {
  milestone all_here;
  for (int i = 0; i < here.children(); ++i) {
    const auto up = static_cast<std::uint32_t>(i);
    all_here.set(co_yield out.receive(child_of(here, i), up, {}).in_round(0).after(all_here.at()));
  }
  if (!here.is_root()) {
    const auto up = static_cast<std::uint32_t>(here.index());
    co_yield out.send(here.parent(), up, {}).in_round(0).after(all_here.at());
    all_here.set(co_yield out.receive(here.parent(), down, {}).in_round(1));
  }
  for (int i = here.children() - 1; i >= 0; --i) {
    all_here.pass(co_yield out.send(child_of(here, i), down, {}).in_round(1).after(all_here.at()));
  }
}

enum counter : std::uint32_t { arrived, released, counters };

steps by_signals(script& out, tree_place here, bool pull_arrival, bool pull_release) {
  milestone all_here;
  if (pull_arrival) {
    for (int i = 0; i < here.children(); ++i) {
      all_here.set(co_yield out.await(arrived, 1).of_peer(child_of(here, i)).after(all_here.at()));
    }
  } else if (!here.is_leaf()) {
    all_here.set(co_yield out.await(arrived, static_cast<std::uint64_t>(here.children())));
  }
  if (!here.is_root()) {
    const int up = pull_arrival ? schedule::own : here.parent();
    co_yield out.signal(arrived).to(up).after(all_here.at());
    const int watched = pull_release ? here.parent() : schedule::own;
    all_here.set(co_yield out.await(released, 1).of_peer(watched).in_round(1));
  }
  if (pull_release) {
    if (!here.is_leaf()) co_yield out.signal(released).in_round(1).after(all_here.at());
    co_return;
  }
  for (int i = here.children() - 1; i >= 0; --i) {
    all_here.pass(
        co_yield out.signal(released).to(child_of(here, i)).in_round(1).after(all_here.at()));
  }
}

}  // namespace

generator tree_barrier(int ranks, int rank, int root, const model::tree_shape& shape) {
  const tree_place here(shape, ranks, root, rank);
  const auto down = static_cast<std::uint32_t>(tree_place::widest(shape, ranks));
  return {{.window = milestone::reach, .edges_apart = true},
          [=](script& out) { return by_messages(out, here, down); }};
}

generator signal_tree_barrier(int ranks, int rank, int root, const signal_tree& chosen) {
  const tree_place here(chosen.shape, ranks, root, rank);
  const bool pull_arrival = chosen.arrival == signalling::pull;
  const bool pull_release = chosen.release == signalling::pull;
  return {{.window = milestone::reach, .counters = counters},
          [=](script& out) { return by_signals(out, here, pull_arrival, pull_release); }};
}

}  // namespace upwash::collective
