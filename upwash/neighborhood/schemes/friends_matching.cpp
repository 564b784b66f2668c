// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/friends_matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "upwash/base/error.hpp"

namespace upwash::neighborhoods {

void asking_matching::hear_choice(int from, std::span<const int> choice) {
  forget(from);
  if (choice.empty()) return;
  const friend_group heard(choice);
  latest_.emplace_back(from, heard);
  // A group that this rank did not think of counts as its own from now on: else the others would
  // wait for ever.
  const auto same = [&](const friend_group& each) { return each.same_ranks(heard); };
  if (std::ranges::any_of(asked_for_, same)) return;
  if (const friend_group known = groups_.known(choice); !known.empty()) asked_for_.push_back(known);
}

void asking_matching::hear_gone(int from) {
  groups_.gone(from);
  forget(from);
  std::erase_if(asked_for_, [&](const friend_group& each) { return each.has(from); });
  if (own_best_.has(from)) {
    own_best_ = {};
    searched_ = false;
  }
}

void asking_matching::forget(int rank) {
  std::erase_if(latest_, [&](const auto& each) { return each.first == rank; });
}

bool asking_matching::all_ask() const {
  const auto asks = [&](const auto& each) { return each.second.same_ranks(choice_); };
  return !choice_.empty() && static_cast<std::size_t>(std::ranges::count_if(latest_, asks)) + 1 ==
                                 choice_.ranks().size();
}

/// All of a group hear each other's requests in the same step, before anyone looks for a better
/// one, so either all of them see that it is formed or none.
group_matching::outcome asking_matching::step(teller tell) {
  if (all_ask()) return outcome::grouped;
  if (!searched_) own_best_ = groups_.best();
  searched_ = true;
  friend_group next = own_best_;
  for (const friend_group& each : asked_for_) {
    if (each.before(next)) next = each;
  }
  if (!next.same_ranks(choice_)) change_to(next, tell);
  return next.empty() ? outcome::alone : outcome::open;
}

void asking_matching::change_to(const friend_group& next, teller tell) {
  for (const int each : choice_.ranks()) {
    if (each != rank_ && !next.has(each)) tell(each, {});
  }
  for (const int each : next.ranks()) {
    if (each != rank_) tell(each, next.ranks());
  }
  choice_ = next;
}

std::vector<friend_group> exact_matching(int ranks, std::span<const friend_group> groups) {
  if (ranks > 20) {
    throw error(error_kind::argument,
                fmt::format("exact matching: {} ranks; it takes at most 20", ranks));
  }
  // Of each set of free ranks the lowest one is left alone, or goes into one of the groups in which
  // it is the lowest.
  struct plan {
    std::int64_t weight = 0;
    const friend_group* taken = nullptr;
    std::uint32_t rest = 0;
  };
  const auto bits_of = [](const friend_group& of) {
    std::uint32_t bits = 0;
    for (const int each : of.ranks()) bits |= 1U << static_cast<unsigned>(each);
    return bits;
  };
  std::vector<std::vector<std::pair<std::uint32_t, const friend_group*>>> by_lowest(
      static_cast<std::size_t>(ranks));
  for (const friend_group& each : groups) {
    by_lowest[static_cast<std::size_t>(each.ranks()[0])].emplace_back(bits_of(each), &each);
  }
  std::vector<plan> best(std::size_t{1} << static_cast<unsigned>(ranks));
  for (std::uint32_t free = 1; free < best.size(); ++free) {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(free));
    plan& here = best[free];
    here.rest = free & (free - 1);
    here.weight = best[here.rest].weight;
    for (const auto& [bits, group] : by_lowest[lowest]) {
      if ((bits & free) != bits) continue;
      const std::int64_t weight = best[free & ~bits].weight + group->weight();
      if (weight > here.weight) here = {weight, group, free & ~bits};
    }
  }
  std::vector<friend_group> taken;
  for (auto free = static_cast<std::uint32_t>(best.size() - 1); free != 0; free = best[free].rest) {
    if (best[free].taken != nullptr) taken.push_back(*best[free].taken);
  }
  return taken;
}

given_matching::given_matching(int rank, std::span<const friend_group> all) {
  for (const friend_group& each : all) {
    if (each.has(rank)) chosen_ = each;
  }
}

}  // namespace upwash::neighborhoods
