// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/rank_classes.hpp"

#include <unordered_map>

namespace upwash::schedule::detail {

rank_classes find_classes(int ranks, function_ref<generator(int)> schedule_of) {
  rank_classes found;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  found.of_rank.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    const std::uint32_t named = schedule_of(rank).wants().rank_class;
    if (named == 0) return {};
    const auto [at, fresh] = numbers.try_emplace(named, found.members.size());
    if (fresh) found.members.push_back(0);
    ++found.members[at->second];
    found.of_rank.push_back(at->second);
  }
  std::vector<std::uint32_t> seen(found.members.size());
  found.representatives.resize(found.members.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const std::uint32_t one = found.of_rank[static_cast<std::size_t>(rank)];
    if (seen[one]++ == found.members[one] / 2) found.representatives[one] = rank;
  }
  return found;
}

}  // namespace upwash::schedule::detail
