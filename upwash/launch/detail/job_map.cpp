// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/job_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::launch::detail {

job_map job_map::here(int ranks, int processes) {
  const auto layout = conduit::rank_layout::even(ranks, processes);
  job_map map;
  for (int p = 0; p < processes; ++p) map.ranks.push_back(layout.count_of(p));
  map.nodes.assign(map.ranks.size(), 0);
  map.hosts.emplace_back();
  return map;
}

job_map job_map::over(const std::vector<host_share>& hosts, int ranks, int ranks_a_process) {
  job_map map;
  int left = ranks;
  for (const host_share& host : hosts) {
    const int here = std::min(left, host.slots);
    if (here == 0) break;
    left -= here;
    const auto layout = conduit::rank_layout::at_most(ranks_a_process, here);
    for (int p = 0; p < layout.processes(); ++p) map.ranks.push_back(layout.count_of(p));
    map.nodes.resize(map.ranks.size(), static_cast<int>(map.hosts.size()));
    map.hosts.push_back(host.name);
  }
  if (left == 0) return map;
  throw error(error_kind::argument,
              fmt::format("-n {}: the {} host{} have room for {} ranks (--hosts a:8,b:8 gives each "
                          "8 slots)",
                          ranks, hosts.size(), hosts.size() == 1 ? "" : "s", ranks - left));
}

int job_map::first_process(int node) const noexcept {
  return static_cast<int>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
}

std::string job_map::ranks_text() const {
  if (layout().one_each()) return fmt::format("{}", processes());
  return fmt::format("{}", fmt::join(ranks, ","));
}

}  // namespace upwash::launch::detail
