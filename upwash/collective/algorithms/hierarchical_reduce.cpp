// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "upwash/collective/algorithms/detail/node_root.hpp"
#include "upwash/collective/algorithms/hierarchical.hpp"

namespace upwash::collective {

using detail::by_phases;
using detail::needs_of;
using detail::no_steps;
using detail::node_phase;
using detail::node_place;
using detail::node_root;
using schedule::buffer;
using schedule::embedding;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

using enum detail::node_counter;

struct rooted_reduction : node_root {
  rooted_reduction(const rooted_by_nodes& call, bool in_order)
      : node_root(call, 1), ordered(in_order) {}

  bool ordered;

  [[nodiscard]] piece contribution() const noexcept {
    return vector(of.in_place && of.rank == root ? buffer::output : buffer::input);
  }
  [[nodiscard]] piece laid_out(const node_place& here, int at) const noexcept {
    const piece own = shared(0, 1);
    return at == here.place ? own : own.of_rank(here.mate(at));
  }
  [[nodiscard]] piece operand(const node_place& here, int at) const noexcept {
    return at == here.place ? contribution() : laid_out(here, at);
  }
  /// The order of operands is kept from the first node on.
  [[nodiscard]] model::tree_place way_up(const node_place& here) const {
    return tree(here, ordered ? 0 : root_node());
  }
  /// One message comes while another is combined.
  [[nodiscard]] piece incoming(int child) const noexcept {
    return {buffer::scratch, static_cast<std::uint64_t>(child % 2) * room, bytes()};
  }
  [[nodiscard]] std::uint64_t tells(const node_place& /*here*/, int /*place*/) const noexcept {
    return 0;
  }
  [[nodiscard]] embedding embedded(node_phase now, mark combined) const noexcept {
    const bool goes_up = now == node_phase::among_leaders && leads(node_place(of));
    return goes_up ? among_leaders(combined) : embedding{};
  }
};

schedule::local_step combine(script& out, const rooted_reduction& all, const node_place& here,
                             int at) {
  const piece sum = all.laid_out(here, here.place);
  const piece next = all.operand(here, at);
  return at == 1 ? out.reduce(all.operand(here, 0), next, sum) : out.reduce(sum, next, sum);
}

steps meet_mates(script& out, const rooted_reduction& all) {
  const node_place here(all.of);
  if (here.others() == 0) {
    co_yield all.begins(out.copy(all.contribution(), all.laid_out(here, here.place)));
    co_return;
  }
  mark combined = co_yield all.begins(out.await(mates_came, all.counted(here.others())));
  for (int at = 1; at < here.size(); ++at) {
    combined = co_yield combine(out, all, here, at).after(combined);
  }
}

/// Among nodes. A rank's messages to another one differ by their edges: up the tree, and from the
/// tree's root to another root.
steps hand_up(script& out, const rooted_reduction& all) {
  enum : std::uint32_t { up, to_root };
  const node_place here(all.of);
  const model::tree_place tree = all.way_up(here);
  const piece sum = all.laid_out(here, here.place);
  const piece result = all.vector(buffer::output);
  mark summed = never;
  mark before = never;  // the one before, which has freed the place that is next
  for (int i = 0; i < tree.children(); ++i) {
    const mark came =
        co_yield out.receive(tree.rank_of(tree.child(i).position), up, all.incoming(i))
            .after(before);
    before = summed;
    summed = co_yield out.reduce(sum, all.incoming(i), sum).in_round(up).after(came, before);
  }
  const int root = all.root_node();
  if (!tree.is_root()) {
    co_yield out.send(tree.parent(), up, sum).after(summed);
    if (here.node == root) co_yield out.receive(tree.root(), to_root, result).after(summed);
  } else if (here.node == root) {
    co_yield out.copy(sum, result).after(summed);
  } else {
    co_yield out.send(root, to_root, sum).after(summed);
  }
}

steps begin(script& out, const rooted_reduction& all, node_phase now) {
  const node_place here(all.of);
  if (now == node_phase::from_leaders) return no_steps(out);
  if (all.leads(here)) {
    return now == node_phase::inside ? meet_mates(out, all) : hand_up(out, all);
  }
  if (now != node_phase::inside) return no_steps(out);
  return detail::lay_at_leader(out, all, all.contribution(), all.laid_out(here, here.place));
}

}  // namespace

generator hierarchical_reduce(const rooted_by_nodes& call, bool ordered) {
  const rooted_reduction all(call, ordered);
  const node_place here(call.of);
  schedule::needs inner{.window = 4};
  if (all.leads(here)) {
    const int slots = std::min(2, all.way_up(here).children());
    inner.scratch_bytes = static_cast<std::uint64_t>(slots) * all.room;
  }
  return {needs_of(inner, all.shared_bytes()), [=](script& out) { return by_phases(out, all); }};
}

}  // namespace upwash::collective
