// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where everything of a job is: its ranks in processes, its processes on nodes.
#pragma once

#include <string>
#include <vector>

#include "upwash/conduit/rank_layout.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

struct job_map {
  std::vector<int> ranks;          ///< by process: how many it hosts
  std::vector<int> nodes;          ///< by process: dense from 0, never less than the one before
  std::vector<std::string> hosts;  ///< by node: its name; empty where all is on this machine

  /// On this machine alone, as even as can be. Throws as rank_layout::even.
  [[nodiscard]] static job_map here(int ranks, int processes);
  /// On hosts, which are filled in their order; those that are left have no part in it. The ranks
  /// of a host share as few processes of at most `ranks_a_process` as can be, evenly. Throws
  /// `error` (argument) when there is not room for all.
  [[nodiscard]] static job_map over(const std::vector<host_share>& hosts, int ranks,
                                    int ranks_a_process);

  [[nodiscard]] conduit::rank_layout layout() const { return conduit::rank_layout(ranks); }
  [[nodiscard]] int processes() const noexcept { return static_cast<int>(ranks.size()); }
  [[nodiscard]] int node_count() const noexcept { return nodes.empty() ? 0 : nodes.back() + 1; }
  /// The first process of a node; of node_count() it is processes().
  [[nodiscard]] int first_process(int node) const noexcept;
  [[nodiscard]] int process_count(int node) const noexcept {
    return first_process(node + 1) - first_process(node);
  }

  /// For the knob boot_ranks.
  [[nodiscard]] std::string ranks_text() const;

  template <class A>
  void serialize(A& a) {
    a(ranks, nodes, hosts);
  }
};

}  // namespace upwash::launch::detail
