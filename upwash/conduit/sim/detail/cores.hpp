// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cores of nodes that have more ranks than cores: a rank that runs keeps its core until it
// waits, then the next in line has it, and the switch takes time. Memory: 12 bytes a rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/fifo.hpp"
#include "upwash/conduit/rank_layout.hpp"

namespace upwash::conduit::sim {

class cores {
 public:
  static constexpr int nobody = -1;

  /// What it takes until another rank runs.
  struct switch_times {
    duration between_processes;
    duration within_process;
  };

  /// Process i of a node is bound to core i modulo `cores_per_node`, with all its ranks. It lies on
  /// the node of its first rank. `layout` outlives this.
  void share(const rank_layout& layout, int ranks_per_node, int cores_per_node,
             switch_times takes) {
    layout_ = &layout;
    takes_ = takes;
    const int nodes = (layout.ranks() + ranks_per_node - 1) / ranks_per_node;
    all_.resize(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(cores_per_node));
    for (int p = 0, node = 0, on_node = 0; p < layout.processes(); ++p, ++on_node) {
      const int of = layout.first_of(p) / ranks_per_node;
      if (of != std::exchange(node, of)) on_node = 0;
      of_process_.push_back(node * cores_per_node + on_node % cores_per_node);
    }
  }
  [[nodiscard]] bool shared() const noexcept { return !all_.empty(); }

  /// Whether the rank has its core now; else it is in line.
  [[nodiscard]] bool take(int rank) {
    core& of = core_of(rank);
    if (of.has == nobody) of.has = rank;
    if (of.has == rank) return true;
    of.line.push_back(rank);
    return false;
  }
  /// When a rank that has its core can begin, if it wants to from `now` on.
  [[nodiscard]] duration begin(int rank, duration now) {
    core& of = core_of(rank);
    if (of.last == rank) return now;
    const duration from = std::max(now, of.free);
    const int before = std::exchange(of.last, rank);
    if (before == nobody) return from;
    const bool within = layout_->process_of(before) == layout_->process_of(rank);
    return from + (within ? takes_.within_process : takes_.between_processes);
  }
  [[nodiscard]] bool wanted(int rank) { return !core_of(rank).line.empty(); }
  /// The rank waits from `now` on; who has its core then, or nobody.
  [[nodiscard]] int leave(int rank, duration now) {
    core& of = core_of(rank);
    of.free = now;
    of.has = nobody;
    if (of.line.empty()) return nobody;
    of.has = of.line.front();
    of.line.pop_front();
    return of.has;
  }

 private:
  struct core {
    int has = nobody;
    int last = nobody;
    duration free;
    fifo<int> line;
  };
  [[nodiscard]] core& core_of(int rank) {
    const int process = layout_->process_of(rank);
    return all_[static_cast<std::size_t>(of_process_[static_cast<std::size_t>(process)])];
  }

  const rank_layout* layout_ = nullptr;
  switch_times takes_;
  std::vector<int> of_process_;
  std::vector<core> all_;
};

}  // namespace upwash::conduit::sim
