// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {
namespace {

/// Whom a block goes to at first, for each destination: on other nodes one of the destinations
/// there, which is another one for each rank, so that no rank is chosen by all.
class takers {
 public:
  explicit takers(const router& at) : destinations_(at.destinations()) {
    const model::node_map& nodes = at.nodes();
    std::vector<std::pair<int, int>> by_node;
    for (const int to : destinations_) by_node.emplace_back(nodes.node_of(to), to);
    std::sort(by_node.begin(), by_node.end());
    takers_.resize(by_node.size());
    for (std::size_t begin = 0, end = 0; begin < by_node.size(); begin = end) {
      while (end < by_node.size() && by_node[end].first == by_node[begin].first) ++end;
      const std::size_t chosen = begin + static_cast<std::size_t>(at.rank()) % (end - begin);
      const bool here = by_node[begin].first == nodes.node_of(at.rank());
      for (std::size_t i = begin; i < end; ++i) {
        takers_[place_of(by_node[i].second)] = by_node[here ? i : chosen].second;
      }
    }
  }

  [[nodiscard]] int of(int destination) const { return takers_[place_of(destination)]; }

 private:
  [[nodiscard]] std::size_t place_of(int destination) const {
    return static_cast<std::size_t>(
        std::lower_bound(destinations_.begin(), destinations_.end(), destination) -
        destinations_.begin());
  }

  std::span<const int> destinations_;
  std::vector<int> takers_;
};

}  // namespace

routing node_forward(router& at, const model::values& /*with*/) {
  {
    const takers chosen(at);
    const parcel_list mine = at.take();
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const parcel one = mine[i];
      for (const int& to : one.destinations) at.pass(one, std::span(&to, 1), chosen.of(to));
    }
  }
  co_await at.next_round();
  const parcel_list came = at.take();
  for (std::size_t i = 0; i < came.size(); ++i) {
    const parcel one = came[i];
    for (const int& to : one.destinations) at.pass(one, std::span(&to, 1), to);
  }
  co_await at.next_round();
}

}  // namespace upwash::neighborhoods
