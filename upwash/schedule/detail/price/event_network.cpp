// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps in the network: who takes part waits for the others and for the pass of the tree, which
// costs no processor but the overheads of a message at either end.
#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/schedule/detail/price/event_run.hpp"
#include "upwash/schedule/network_step.hpp"

namespace upwash::schedule::detail {

using model::network_collective;

switch_network::switch_network(const machine& on, int ranks) {
  if (!model::has_network_collectives(on)) {
    throw error(error_kind::configuration,
                fmt::format("price: machine {} has no collectives in the network, which need a fat "
                            "tree (topology) with one rank a node (NAME:ranks_a_node=1); choose an "
                            "algorithm without them",
                            on.name));
  }
  const std::shared_ptr<const model::topology> made =
      model::make_topology(model::topology_of(on, ranks));
  tree_ = std::dynamic_pointer_cast<const model::fat_tree>(made);
  if (tree_ == nullptr || tree_->nodes() < ranks) {
    throw error(
        error_kind::configuration,
        fmt::format("price: {} ranks do not fit the network of machine {}", ranks, on.name));
  }
  costs_ = model::fitted({}, on, *tree_);
}

/// A rank takes part. Whoever only gives is done; the others wait for the root, or for all.
void event_run::join(int rank, step_number n, duration at) {
  if (plan_.walked != plan_.ranks) return;  // stuck, as the plan then is
  if (!switches_) switches_.emplace(on_, plan_.ranks);
  const step& what = state(rank).window.at(n).what;
  const network_collective kind = network_collective_of(what.kind, what.peer);
  const bool casts = kind == network_collective::broadcast;
  const bool is_root = rank == what.peer;
  const duration out = spend(rank, at, overheads_far_away().send_overhead);
  network_meeting& all = in_network_[{what.kind, what.edge}];
  ++all.joined;
  if (!casts || is_root) all.begins = std::max(all.begins, out);
  if (is_root ? casts : kind == network_collective::reduce) {
    post(out, rank, happening::joined, n);
  } else {
    all.waiting.emplace_back(rank, n, out);
  }
  all.root_joined = all.root_joined || is_root;
  const bool all_here = all.joined == plan_.walked;
  if (casts ? all.root_joined : all_here) {
    const duration pass =
        switches_->time(kind, std::max(what.left.bytes, what.into.bytes), plan_.ranks);
    for (const auto& [who, step, since] : all.waiting) {
      post(std::max(since, all.begins + pass), who, happening::joined, step);
    }
    all.waiting.clear();
  }
  if (all_here) in_network_.erase({what.kind, what.edge});
}

/// As for a message to a rank far away.
model::message_cost event_run::overheads_far_away() {
  return plan_.ranks == 1 ? model::message_cost() : charges_.message(on_.levels.size() - 1, 0);
}

}  // namespace upwash::schedule::detail
