// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cores of nodes that have more ranks than cores: a rank that runs keeps its core until it
// waits, then the next in line has it, and the switch takes time. Memory: 8 bytes a rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "upwash/base/duration.hpp"

namespace upwash::conduit::sim {

class cores {
 public:
  static constexpr int nobody = -1;

  /// Local rank i of a node is bound to core i modulo `cores_per_node`.
  void share(int ranks, int ranks_per_node, int cores_per_node, duration one_switch) {
    ranks_per_node_ = ranks_per_node;
    cores_per_node_ = cores_per_node;
    switch_ = one_switch;
    const int nodes = (ranks + ranks_per_node - 1) / ranks_per_node;
    all_.resize(static_cast<std::size_t>(nodes * cores_per_node));
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
    const bool fresh = of.last == nobody;
    of.last = rank;
    return fresh ? from : from + switch_;
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
    std::deque<int> line;
  };
  [[nodiscard]] core& core_of(int rank) {
    const int which = rank % ranks_per_node_ % cores_per_node_;
    return all_[static_cast<std::size_t>(rank / ranks_per_node_ * cores_per_node_ + which)];
  }

  int ranks_per_node_ = 1;
  int cores_per_node_ = 1;
  duration switch_;
  std::vector<core> all_;
};

}  // namespace upwash::conduit::sim
