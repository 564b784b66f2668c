// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packets as a test writes them down, and networks by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/traffic_source.hpp"

namespace upwash::test {

using pointer = std::unique_ptr<const model::topology>;

inline pointer make(const std::string& text, const std::string& routing = "") {
  return model::make_topology(model::parse_topology(text), routing);
}

/// Packets at given times, and when each arrived.
class script final : public simulator::traffic_source {
 public:
  struct line {
    int from;
    int to;
    std::int64_t at_ps;
    std::uint32_t bytes = 256;
  };

  script(int nodes, const std::vector<line>& lines)
      : of_node_(static_cast<std::size_t>(nodes)), arrivals(lines.size(), -1) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      of_node_[static_cast<std::size_t>(lines[i].from)].push_back({{lines[i].to, -1},
                                                                   lines[i].bytes,
                                                                   lines[i].at_ps,
                                                                   lines[i].at_ps,
                                                                   static_cast<std::uint32_t>(i)});
    }
  }

  bool next(int node, std::int64_t /*now_ps*/, simulator::offered_packet& fresh) override {
    auto& mine = of_node_[static_cast<std::size_t>(node)];
    if (mine.empty()) return false;
    fresh = mine.front();
    mine.erase(mine.begin());
    return true;
  }
  void arrived(const simulator::arrived_packet& what) override { arrivals[what.tag] = what.at_ps; }

 private:
  std::vector<std::vector<simulator::offered_packet>> of_node_;

 public:
  std::vector<std::int64_t> arrivals;
};

}  // namespace upwash::test
