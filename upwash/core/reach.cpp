// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/reach.hpp"

#include <algorithm>
#include <unordered_map>

#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

reach::reach(const conduit::capabilities& can, bool has_node, bool has_remote) noexcept
    : can_(&can), has_node_(has_node), has_remote_(has_remote) {
  using conduit::nearness;
  atomics_ = can.of(nearness::process).atomics;
  medium_bytes_ = can.of(nearness::process).medium_bytes;
  for (std::size_t i = 0; i < conduit::nearness_count; ++i) {
    if (!occurs(i)) continue;
    atomics_ = atomics_ & can.peers[i].atomics;
    medium_bytes_ = std::min(medium_bytes_, can.peers[i].medium_bytes);
  }
  all_direct_ = holds(&conduit::peer_capabilities::direct_access) == pairs::all;
  nodes_direct_ = can.of(nearness::process).direct_access &&
                  (!has_node_ || can.of(nearness::node).direct_access);
}

pairs reach::holds(bool conduit::peer_capabilities::*what) const noexcept {
  int classes = 0;
  int holding = 0;
  for (std::size_t i = 0; i < conduit::nearness_count; ++i) {
    if (!occurs(i)) continue;
    ++classes;
    holding += can_->peers[i].*what ? 1 : 0;
  }
  return holding == classes ? pairs::all : holding == 0 ? pairs::none : pairs::some;
}

namespace detail {

/// There is a pair on one node and in two processes exactly if a node has two processes. There is
/// one on two nodes and in two processes exactly if the members are on several nodes and in several
/// processes: pairs of (node, process) that all share something with each other share one thing.
reach reach_between(const conduit::endpoint& at, const rank_map& members) {
  const conduit::capabilities& can = at.describe();
  if (can.uniform()) return {can, false, false};
  const conduit::location first = at.place(members.world_rank(0));
  std::unordered_map<int, int> process_of{{first.node, first.process}};
  bool same_node = false;
  bool two_processes = false;
  for (int m = 1; m < members.size(); ++m) {
    const conduit::location next = at.place(members.world_rank(m));
    two_processes = two_processes || next.process != first.process;
    const auto [seen, added] = process_of.emplace(next.node, next.process);
    same_node = same_node || (!added && seen->second != next.process);
  }
  return {can, same_node, two_processes && process_of.size() > 1};
}

void team_state::find_between() { between_ = reach_between(host(here).endpoint(), map_); }

}  // namespace detail

const reach& reach_of(const team& among) {
  static_cast<void>(among.size());  // refuses one that was released
  return team_access::state(among).between();
}

bool all_direct(const team& among) { return reach_of(among).all_direct(); }

bool nodes_direct(const team& among) { return reach_of(among).nodes_direct(); }

}  // namespace upwash
