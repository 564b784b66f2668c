// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/rank_map.hpp"

#include <algorithm>

namespace upwash::detail {

rank_map rank_map::of(std::span<const int> world_ranks) {
  const auto count = static_cast<int>(world_ranks.size());
  const int first = count > 0 ? world_ranks[0] : 0;
  const int stride = count > 1 ? world_ranks[1] - first : 1;
  rank_map map(first, stride, count);
  bool regular = true;
  for (int i = 0; i < count && regular; ++i)
    regular = map.world_rank(i) == world_ranks[static_cast<std::size_t>(i)];
  if (regular) return map;
  map.list_.assign(world_ranks.begin(), world_ranks.end());
  for (int i = 0; i < count; ++i)
    map.sorted_.emplace_back(world_ranks[static_cast<std::size_t>(i)], i);
  std::sort(map.sorted_.begin(), map.sorted_.end());
  return map;
}

int rank_map::member_of(int world_rank) const noexcept {
  if (list_.empty()) {
    if (count_ == 0) return -1;
    const int distance = world_rank - first_;
    if (distance % stride_ != 0) return -1;
    const int member = distance / stride_;
    return member >= 0 && member < count_ ? member : -1;
  }
  const auto it = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(world_rank, -1));
  return it != sorted_.end() && it->first == world_rank ? it->second : -1;
}

}  // namespace upwash::detail
