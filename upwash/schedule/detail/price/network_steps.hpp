// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps in the network: who takes part waits for the others and for the pass of the tree, which
// costs no processor but the overheads of a message at either end.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "upwash/model/network_costs.hpp"
#include "upwash/schedule/detail/price/message_charges.hpp"
#include "upwash/schedule/detail/price/processors.hpp"
#include "upwash/schedule/detail/price/step_flow.hpp"

namespace upwash::schedule::detail {

/// The switches of a machine. Throws `error` (configuration) where it has none that combine.
class switch_network {
 public:
  switch_network(const machine& on, int ranks);
  [[nodiscard]] duration time(model::network_collective what, std::uint64_t bytes,
                              int ranks) const {
    return model::collective_time(what, bytes, *tree_, ranks, costs_);
  }

 private:
  std::shared_ptr<const model::fat_tree> tree_;
  model::network_costs costs_;
};

/// Owns the passes that are under way, and the switches where steps need them. Memory: 24 bytes a
/// rank that waits for a pass. Used against the processors; the machine outlives it.
class network_steps {
 public:
  /// What it is used against.
  struct uses {
    const machine& on;
    const walked_ranks& team;
    agenda& events;
    processors& at_work;
    rank_windows& windows;
    message_charges& costs;
    step_flow& flow;
  };
  explicit network_steps(const uses& all) : uses_(all) {}

  /// A rank takes part. Whoever only gives is done; the others wait for the root, or for all.
  void join(int rank, step_number n, duration at);
  /// Its part is over.
  void leave(int rank, step_number n, duration at);

 private:
  struct pass {
    int joined = 0;
    bool root_joined = false;
    duration begins;  ///< the last one whose data is needed has handed it over
    std::vector<std::tuple<int, step_number, duration>> waiting;  ///< since when
  };
  [[nodiscard]] model::message_cost overheads();

  uses uses_;
  std::optional<switch_network> switches_;
  std::map<std::pair<step_kind, std::uint32_t>, pass> passes_;  ///< by edge
};

}  // namespace upwash::schedule::detail
