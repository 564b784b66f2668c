// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/rank_classes.hpp"

#include <algorithm>
#include <unordered_map>

namespace upwash::schedule::detail {
namespace {

/// Ranks of a class get out of step, and wait for each other: one that hears only from itself would
/// not see that. So a few of a class are walked, if there are so many for each.
constexpr std::uint32_t most_parts = 4;
constexpr std::uint32_t least_members = 16;
constexpr std::uint32_t most_walked = 40;

/// Parts of a class mix.
std::uint32_t scatter(int rank) noexcept {
  std::uint32_t x = static_cast<std::uint32_t>(rank) * 2'654'435'761U;
  x = (x ^ x >> 15U) * 0x85ebca6bU;
  return x ^ x >> 13U;
}

/// By rank a number from 0 on, for each name one.
std::vector<std::uint32_t> numbered(int ranks, function_ref<generator(int)> schedule_of,
                                    std::vector<std::uint32_t>& members) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> of_rank;
  of_rank.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    const std::uint32_t named = schedule_of(rank).wants().rank_class;
    if (named == 0) return {};
    const auto [at, fresh] = numbers.try_emplace(named, members.size());
    if (fresh) members.push_back(0);
    ++members[at->second];
    of_rank.push_back(at->second);
  }
  return of_rank;
}

}  // namespace

rank_classes find_classes(int ranks, function_ref<generator(int)> schedule_of) {
  rank_classes found;
  std::vector<std::uint32_t> members;
  found.of_rank = numbered(ranks, schedule_of, members);
  if (found.of_rank.empty()) return found;
  const auto classes = static_cast<std::uint32_t>(members.size());
  const std::uint32_t limit = std::clamp(most_walked / classes, 1U, most_parts);
  std::vector<std::uint32_t> first_part;
  std::uint32_t parts = 0;
  for (const std::uint32_t all : members) {
    first_part.push_back(parts);
    parts += std::clamp(all / least_members, 1U, limit);
  }
  first_part.push_back(parts);
  found.members.resize(parts);
  for (int rank = 0; rank < ranks; ++rank) {
    std::uint32_t& of = found.of_rank[static_cast<std::size_t>(rank)];
    const std::uint32_t first = first_part[of];
    of = first + scatter(rank) % (first_part[of + 1] - first);
    ++found.members[of];
  }
  std::vector<std::uint32_t> seen(parts);
  found.representatives.resize(parts);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::uint32_t one = found.of_rank[static_cast<std::size_t>(rank)];
    if (seen[one]++ == found.members[one] / 2) found.representatives[one] = rank;
  }
  return found;
}

}  // namespace upwash::schedule::detail
