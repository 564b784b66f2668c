// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/network_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/model/topology_text.hpp"
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

void network_steps::join(int rank, step_number n, duration at) {
  if (!uses_.team.are_all()) return;  // stuck, as the plan then is
  const int ranks = uses_.team.team();
  if (!switches_) switches_.emplace(uses_.on, ranks);
  const step& what = uses_.windows.step_at(rank, n);
  const network_collective kind = network_collective_of(what.kind, what.peer);
  const bool casts = kind == network_collective::broadcast;
  const bool is_root = rank == what.peer;
  const duration out = uses_.at_work.spend(rank, at, overheads().send_overhead);
  pass& all = passes_[{what.kind, what.edge}];
  ++all.joined;
  if (!casts || is_root) all.begins = std::max(all.begins, out);
  if (is_root ? casts : kind == network_collective::reduce) {
    uses_.events.post(out, rank, happening::joined, n);
  } else {
    all.waiting.emplace_back(rank, n, out);
  }
  all.root_joined = all.root_joined || is_root;
  const bool all_here = all.joined == ranks;
  if (casts ? all.root_joined : all_here) {
    const duration time = switches_->time(kind, std::max(what.left.bytes, what.into.bytes), ranks);
    for (const auto& [who, step, since] : all.waiting) {
      uses_.events.post(std::max(since, all.begins + time), who, happening::joined, step);
    }
    all.waiting.clear();
  }
  if (all_here) passes_.erase({what.kind, what.edge});
}

void network_steps::leave(int rank, step_number n, duration at) {
  uses_.flow.finish(rank, n, uses_.at_work.spend(rank, at, overheads().receive_overhead));
}

/// As for a message to a rank far away.
model::message_cost network_steps::overheads() {
  return uses_.team.team() == 1 ? model::message_cost() : uses_.costs.note_far_away();
}

}  // namespace upwash::schedule::detail
