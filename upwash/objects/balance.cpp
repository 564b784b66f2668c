// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/balance.hpp"

#include <algorithm>

#include "upwash/base/random.hpp"

namespace upwash::balancing {

std::vector<int> problem::mapping() const {
  std::vector<int> now;
  now.reserve(objects.size());
  for (const placed_object& each : objects) now.push_back(each.member);
  return now;
}

std::vector<double> problem::times(std::span<const int> mapping) const {
  std::vector<double> all;
  for (const member& each : members) all.push_back(each.background_ns);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto at = static_cast<std::size_t>(mapping[i]);
    all[at] += objects[i].work_ns / members[at].speed;
  }
  return all;
}

double problem::longest(std::span<const int> mapping) const {
  return std::ranges::max(times(mapping));
}

std::vector<int> rotate::place(const problem& given) const {
  std::vector<int> placed = given.mapping();
  const int members = static_cast<int>(given.members.size());
  for (int& each : placed) each = (each + 1) % members;
  return placed;
}

std::vector<int> random::place(const problem& given) const {
  std::vector<int> placed;
  for (const placed_object& each : given.objects) {
    random_stream from(seed_, each.key().hash());
    placed.push_back(static_cast<int>(from.below(given.members.size())));
  }
  return placed;
}

}  // namespace upwash::balancing
