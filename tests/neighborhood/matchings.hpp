// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What matchings are compared with: the heaviest group again and again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "upwash/neighborhood/schemes/friends_group.hpp"

namespace upwash::test {

using neighborhoods::friend_group;

inline std::vector<friend_group> greedy_matching(std::vector<friend_group> all) {
  std::ranges::sort(all, [](const friend_group& a, const friend_group& b) { return a.before(b); });
  std::vector<friend_group> taken;
  for (const friend_group& each : all) {
    const auto meets = [&](const friend_group& other) {
      return std::ranges::any_of(each.ranks(), [&](int rank) { return other.has(rank); });
    };
    if (std::ranges::none_of(taken, meets)) taken.push_back(each);
  }
  return taken;
}

inline std::int64_t weight_of(std::span<const friend_group> all) {
  std::int64_t weight = 0;
  for (const friend_group& each : all) weight += each.weight();
  return weight;
}

}  // namespace upwash::test
