// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/topology_spanning_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::model {

const spanning_tree::row* spanning_tree::find(int of_switch) const noexcept {
  const auto at = std::lower_bound(rows.begin(), rows.end(), of_switch,
                                   [](const row& each, int s) { return each.of_switch < s; });
  return at != rows.end() && at->of_switch == of_switch ? &*at : nullptr;
}

spanning_tree_builder::spanning_tree_builder(const fat_tree& on, parent_choice choice)
    : on_(on), choice_(choice), loads_(static_cast<std::size_t>(on.switches()), 0) {}

int spanning_tree_builder::parent_port(int of_switch) {
  const int level = on_.level_of(of_switch);
  const int first = on_.down_ports(level);
  const int count = on_.up_ports(level);
  if (choice_ == parent_choice::fixed_port) return first + count - 1;
  if (choice_ == parent_choice::next_port) return first + turn_++ % count;
  int best = first;
  for (int port = first; port < first + count; ++port) {
    const auto load = [&](int p) {
      return loads_[static_cast<std::size_t>(on_.end(of_switch, p).index)];
    };
    if (load(port) < load(best)) best = port;
  }
  return best;
}

spanning_tree spanning_tree_builder::build(std::span<const int> members) {
  if (members.empty()) throw error(error_kind::argument, "spanning tree: a group without members");
  for (const int each : members) {
    if (each >= 0 && each < on_.nodes()) continue;
    throw error(error_kind::argument,
                fmt::format("spanning tree: node {} is not in 0 .. {}", each, on_.nodes() - 1));
  }
  int top = on_.attachment(members.front()).index;
  const auto covered = [&](int node) { return on_.covers(top, node); };
  while (!std::all_of(members.begin(), members.end(), covered)) {
    top = on_.end(top, parent_port(top)).index;
  }
  spanning_tree result;
  descend(top, -1, members, result);
  std::sort(result.rows.begin(), result.rows.end(),
            [](const auto& a, const auto& b) { return a.of_switch < b.of_switch; });
  return result;
}

void spanning_tree_builder::descend(int of_switch, int up, std::span<const int> members,
                                    spanning_tree& into) {
  ++loads_[static_cast<std::size_t>(of_switch)];
  ++entries_;
  spanning_tree::row row{of_switch, up, {}};
  for (const int node : members) {
    if (on_.covers(of_switch, node)) row.ports.push_back(on_.port_towards(of_switch, node));
  }
  std::sort(row.ports.begin(), row.ports.end());
  row.ports.erase(std::unique(row.ports.begin(), row.ports.end()), row.ports.end());
  for (const int port : row.ports) {
    const port_end below = on_.end(of_switch, port);
    if (below.is == port_end::kind::port) descend(below.index, below.port, members, into);
  }
  if (up >= 0) row.ports.push_back(up);  // ports upwards come last
  into.rows.push_back(std::move(row));
}

std::int64_t directed_entries(const spanning_tree& of, std::span<const int> members) {
  return static_cast<std::int64_t>(of.rows.size()) * static_cast<std::int64_t>(members.size());
}

}  // namespace upwash::model
