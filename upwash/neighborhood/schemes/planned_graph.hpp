// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The plans of all ranks for several schemes, and the best scheme as members of a job find it, in
// one process: for tools and tests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "upwash/neighborhood/graphs/process_graph.hpp"
#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/plan_all.hpp"
#include "upwash/neighborhood/schemes/scheme_search.hpp"

namespace upwash::neighborhoods {

class planned_graph {
 public:
  /// Holds references to graph and nodes.
  planned_graph(const process_graph& graph, const model::node_map& nodes, contents of,
                const scene& where);

  [[nodiscard]] const graph_facts& facts() const noexcept { return facts_; }
  [[nodiscard]] const scene& where() const noexcept { return where_; }
  /// Returns the plans of a scheme; makes them at the first use.
  [[nodiscard]] const all_plans& by(const chosen_scheme& one);

  struct choice {
    chosen_scheme is;
    std::vector<std::string> planned;  ///< planned schemes with their times
    std::vector<std::string> priced;
  };
  /// Returns the best scheme for blocks of `bytes` bytes, rounded up to the next size that schemes
  /// are chosen for.
  [[nodiscard]] choice best(std::uint64_t bytes, const cost_terms& in);

 private:
  [[nodiscard]] estimated_scheme estimate_of(const chosen_scheme& one, std::uint64_t bytes,
                                             const cost_terms& in);

  const process_graph& graph_;
  const model::node_map& nodes_;
  contents of_;
  scene where_;
  std::optional<grid_reach> reach_;
  graph_facts facts_;
  std::map<std::string, all_plans> made_;
};

}  // namespace upwash::neighborhoods
