// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The map of a job: its ranks in processes, its processes on nodes.
#pragma once

#include <string>
#include <vector>

#include "upwash/conduit/rank_layout.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

struct job_map {
  std::vector<int> ranks;          ///< by process: number of hosted ranks
  std::vector<int> nodes;          ///< by process: dense from 0, never decreasing
  std::vector<std::string> hosts;  ///< by node: its name; empty if all are on this machine

  /// Returns a map on this machine alone, as even as possible. Throws as rank_layout::even.
  [[nodiscard]] static job_map here(int ranks, int processes);
  /// Returns a map over hosts, which are filled in their order; surplus hosts take no part. The
  /// ranks of a host share the fewest processes of at most `ranks_a_process` ranks, evenly. Throws
  /// `error` (argument) without room for all ranks.
  [[nodiscard]] static job_map over(const std::vector<host_share>& hosts, int ranks,
                                    int ranks_a_process);

  [[nodiscard]] conduit::rank_layout layout() const { return conduit::rank_layout(ranks); }
  [[nodiscard]] int processes() const noexcept { return static_cast<int>(ranks.size()); }
  [[nodiscard]] int node_count() const noexcept { return nodes.empty() ? 0 : nodes.back() + 1; }
  /// Returns the first process of a node. For node_count() the result is processes().
  [[nodiscard]] int first_process(int node) const noexcept;
  [[nodiscard]] int process_count(int node) const noexcept {
    return first_process(node + 1) - first_process(node);
  }

  /// Returns the value for the knob boot_ranks.
  [[nodiscard]] std::string ranks_text() const;

  template <class A>
  void serialize(A& a) {
    a(ranks, nodes, hosts);
  }
};

}  // namespace upwash::launch::detail
