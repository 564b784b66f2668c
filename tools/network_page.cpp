// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/network_page.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

namespace upwash::tools {
namespace {

using model::port_end;
using model::topology;

/// Links from each switch to the nearest one with a node.
std::vector<int> levels_of(const topology& on) {
  std::vector<int> levels(static_cast<std::size_t>(on.switches()), -1);
  std::deque<int> next;
  for (int node = 0; node < on.nodes(); ++node) {
    const int at = on.attachment(node).index;
    if (levels[static_cast<std::size_t>(at)] == 0) continue;
    levels[static_cast<std::size_t>(at)] = 0;
    next.push_back(at);
  }
  for (; !next.empty(); next.pop_front()) {
    const int at = next.front();
    for (int port = 0; port < on.ports(at); ++port) {
      const port_end end = on.end(at, port);
      if (end.is != port_end::kind::port) continue;
      int& level = levels[static_cast<std::size_t>(end.index)];
      if (level >= 0) continue;
      level = levels[static_cast<std::size_t>(at)] + 1;
      next.push_back(end.index);
    }
  }
  return levels;
}

/// The numbers of "KEY=4x4x2" in a topology's name; none where it has no such key.
std::vector<int> numbers_of(std::string_view name, std::string_view key) {
  const std::size_t at = name.find(key);
  if (at == std::string_view::npos) return {};
  const char* from = name.data() + at + key.size();
  const char* const end = name.data() + name.size();
  std::vector<int> all;
  for (;;) {
    int value = 0;
    const auto [stop, status] = std::from_chars(from, end, value);
    if (status != std::errc() || value < 1) return all;
    all.push_back(value);
    if (stop == end || *stop != 'x') return all;
    from = stop + 1;
  }
}

/// Of a grid all whose switches are there.
std::vector<int> grid_sizes(const topology& on) {
  const std::string_view name = on.name();
  std::vector<int> sizes = numbers_of(name, "size=");
  const auto all =
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  if (all != on.switches()) sizes.clear();
  return sizes;
}

/// Switches of a dragonfly's group.
int group_size(const topology& on) {
  if (!std::string_view(on.name()).starts_with("dragonfly")) return 0;
  const std::vector<int> routers = numbers_of(on.name(), "routers=");
  return routers.empty() ? 0 : routers.front();
}

/// Directed, as carried: those out of nodes, then those out of each switch.
struct link_list {
  nlohmann::json ends = nlohmann::json::array();
  std::vector<std::size_t> number;  ///< in what was carried
};

link_list links_of(const topology& on) {
  link_list all;
  std::size_t next = 0;
  const auto add = [&](int from, int to) {
    all.ends.push_back(from);
    all.ends.push_back(to);
    all.number.push_back(next);
  };
  for (int node = 0; node < on.nodes(); ++node, ++next) add(-1 - node, on.attachment(node).index);
  for (int at = 0; at < on.switches(); ++at) {
    for (int port = 0; port < on.ports(at); ++port, ++next) {
      const port_end end = on.end(at, port);
      if (end.is == port_end::kind::node) add(at, -1 - end.index);
      if (end.is == port_end::kind::port) add(at, end.index);
    }
  }
  return all;
}

}  // namespace

nlohmann::json network_data(const topology& on, double packet_times,
                            const std::vector<network_run>& runs) {
  link_list links = links_of(on);
  nlohmann::json all = {{"title", on.name()},
                        {"nodes", on.nodes()},
                        {"switches", on.switches()},
                        {"levels", levels_of(on)},
                        {"sizes", grid_sizes(on)},
                        {"groups", group_size(on)},
                        {"runs", nlohmann::json::array()}};
  for (const network_run& run : runs) {
    nlohmann::json shares = nlohmann::json::array();
    for (const std::size_t each : links.number) {
      const double share = static_cast<double>(run.seen.carried[each]) / packet_times;
      shares.push_back(std::round(share * 1e4) / 1e4);
    }
    all["runs"].push_back({{"traffic", run.traffic},
                           {"load", run.seen.load},
                           {"accepted", run.seen.accepted},
                           {"latency_ns", run.seen.latency_avg_ns},
                           {"shares", std::move(shares)}});
  }
  all["links"] = std::move(links.ends);
  return all;
}

}  // namespace upwash::tools
