// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Matchings by themselves, of groups that are drawn; and the agreement on the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/neighborhood/matchings.hpp"
#include "upwash/base/random.hpp"
#include "upwash/neighborhood/schemes/common_end.hpp"
#include "upwash/neighborhood/schemes/friends_matching.hpp"

namespace upwash::neighborhoods {
namespace {

using test::greedy_matching;
using test::weight_of;

/// A rank's groups, from a list of all.
class listed_groups final : public groups_at_rank {
 public:
  listed_groups(int rank, std::span<const friend_group> all) {
    for (const friend_group& each : all) {
      if (each.has(rank)) mine_.push_back(each);
    }
  }
  friend_group best() override {
    friend_group first;
    for (const friend_group& each : mine_) {
      if (each.before(first)) first = each;
    }
    return first;
  }
  friend_group known(std::span<const int> ranks) override {
    for (const friend_group& each : mine_) {
      if (std::ranges::equal(each.ranks(), ranks)) return each;
    }
    return {};
  }
  void gone(int rank) override {
    std::erase_if(mine_, [&](const friend_group& each) { return each.has(rank); });
  }

 private:
  std::vector<friend_group> mine_;
};

struct matched {
  std::vector<friend_group> groups;  ///< by rank; empty: none
  int steps = 0;
};

/// One matching of all ranks, in steps.
matched run(std::vector<std::unique_ptr<group_matching>>& parts) {
  struct heard {
    std::size_t to;
    int from;
    std::vector<int> choice;
    bool gone;
  };
  matched made{std::vector<friend_group>(parts.size())};
  std::vector<heard> under_way;
  std::vector<bool> over(parts.size());
  for (std::size_t left = parts.size(); left > 0 && made.steps < 1000; ++made.steps) {
    for (const heard& each : std::exchange(under_way, {})) {
      if (over[each.to]) continue;
      if (each.gone) {
        parts[each.to]->hear_gone(each.from);
      } else {
        parts[each.to]->hear_choice(each.from, each.choice);
      }
    }
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      if (over[rank]) continue;
      const int from = static_cast<int>(rank);
      const auto is = parts[rank]->step([&](int to, std::span<const int> choice) {
        under_way.push_back(
            {static_cast<std::size_t>(to), from, {choice.begin(), choice.end()}, false});
      });
      if (is == group_matching::outcome::open) continue;
      if (is == group_matching::outcome::grouped) made.groups[rank] = parts[rank]->chosen();
      over[rank] = true;
      --left;
      for (std::size_t to = 0; to < parts.size(); ++to) under_way.push_back({to, from, {}, true});
    }
  }
  return made;
}

std::vector<friend_group> drawn_groups(int ranks, std::size_t k, std::uint64_t seed) {
  random_stream from(seed, 3);
  std::vector<friend_group> all;
  for (std::uint64_t i = 1 + from.below(60); i > 0; --i) {
    std::vector<int> group;
    while (group.size() < k) {
      const int one = static_cast<int>(from.below(static_cast<std::uint64_t>(ranks)));
      if (std::ranges::find(group, one) == group.end()) group.push_back(one);
    }
    std::ranges::sort(group);
    const friend_group made(group, 1 + static_cast<int>(from.below(1 + from.below(12))));
    const auto same = [&](const friend_group& each) { return each.same_ranks(made); };
    if (std::ranges::none_of(all, same)) all.push_back(made);
  }
  return all;
}

TEST(neighborhood_matching, takes_the_heaviest_again_and_again) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::size_t k = 2 + seed % 4;
    const int ranks = 6 + static_cast<int>(seed % 11);
    const std::vector<friend_group> all = drawn_groups(ranks, k, seed);
    const std::vector<friend_group> most = exact_matching(ranks, all);
    std::vector<listed_groups> lists;
    std::vector<std::unique_ptr<group_matching>> asking;
    std::vector<std::unique_ptr<group_matching>> given;
    for (int rank = 0; rank < ranks; ++rank) lists.emplace_back(rank, all);
    for (int rank = 0; rank < ranks; ++rank) {
      listed_groups& mine = lists[static_cast<std::size_t>(rank)];
      asking.push_back(std::make_unique<asking_matching>(rank, mine, mine.best()));
      given.push_back(std::make_unique<given_matching>(rank, most));
    }
    for (const auto& [parts, wanted] : {std::pair{&asking, greedy_matching(all)}, {&given, most}}) {
      const matched made = run(*parts);
      ASSERT_LE(made.steps, 4 * ranks) << "seed " << seed;
      std::int64_t weight = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const friend_group& mine = made.groups[static_cast<std::size_t>(rank)];
        if (!mine.empty() && mine.ranks()[0] == rank) weight += mine.weight();
        for (const int other : mine.ranks()) {
          ASSERT_TRUE(made.groups[static_cast<std::size_t>(other)].same_ranks(mine));
        }
      }
      ASSERT_EQ(weight, weight_of(wanted)) << "seed " << seed;
      ASSERT_GE(weight * static_cast<std::int64_t>(k), weight_of(most)) << "seed " << seed;
    }
  }
}

/// Each rank knows one of its groups at first, and hears of the others when it is asked.
TEST(neighborhood_matching, ends_where_ranks_know_different_groups) {
  class half_known final : public groups_at_rank {
   public:
    half_known(int rank, std::span<const friend_group> all, std::uint64_t seed)
        : all_(rank, all), searched_(rank, some_of(all, seed)) {}
    friend_group best() override { return searched_.best(); }
    friend_group known(std::span<const int> ranks) override { return all_.known(ranks); }
    void gone(int rank) override {
      all_.gone(rank);
      searched_.gone(rank);
    }

   private:
    static std::vector<friend_group> some_of(std::span<const friend_group> all,
                                             std::uint64_t seed) {
      random_stream from(seed, 5);
      std::vector<friend_group> some;
      for (const friend_group& each : all) {
        if (from.below(2) == 0) some.push_back(each);
      }
      return some;
    }
    listed_groups all_;
    listed_groups searched_;
  };
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const int ranks = 6 + static_cast<int>(seed % 11);
    const std::vector<friend_group> all = drawn_groups(ranks, 2 + seed % 4, seed);
    std::vector<half_known> lists;
    std::vector<std::unique_ptr<group_matching>> parts;
    for (int rank = 0; rank < ranks; ++rank) {
      lists.emplace_back(rank, all, seed * 100 + static_cast<std::uint64_t>(rank));
    }
    for (int rank = 0; rank < ranks; ++rank) {
      half_known& mine = lists[static_cast<std::size_t>(rank)];
      parts.push_back(std::make_unique<asking_matching>(rank, mine, mine.best()));
    }
    const matched made = run(parts);
    ASSERT_LE(made.steps, 4 * ranks) << "seed " << seed;
    for (const friend_group& mine : made.groups) {
      for (const int other : mine.ranks()) {
        ASSERT_TRUE(made.groups[static_cast<std::size_t>(other)].same_ranks(mine)) << seed;
      }
    }
  }
}

TEST(neighborhood_matching, ends_in_the_same_round_everywhere) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const int ranks = 1 + static_cast<int>(seed);
    random_stream from(seed, 9);
    std::vector<common_end> ends;
    std::vector<int> ready_in;
    for (int rank = 0; rank < ranks; ++rank) {
      ends.emplace_back(rank, ranks);
      ready_in.push_back(static_cast<int>(from.below(12)));
    }
    const int last = *std::ranges::max_element(ready_in);
    struct told {
      int to;
      int value;
      int rounds;
    };
    std::vector<told> under_way;
    int ended = 0;
    for (int round = 0; ended == 0 && round < 100; ++round) {
      for (const told& each : std::exchange(under_way, {})) {
        common_end& to = ends[static_cast<std::size_t>(each.to)];
        each.rounds < 0 ? to.hear_report(each.value) : to.hear_start(each.value, each.rounds);
      }
      for (int rank = 0; rank < ranks; ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        if (ready_in[at] == round) ends[at].ready(round);
        if (ends[at].step(
                [&](int to, int value) {
                  under_way.push_back({to, value, -1});
                },
                [&](int to, int value, int rounds) {
                  under_way.push_back({to, value, rounds});
                })) {
          ++ended;
          EXPECT_GE(round, last);
          EXPECT_EQ(ends[at].most(), last);
        }
      }
    }
    ASSERT_EQ(ended, ranks);
    EXPECT_TRUE(under_way.empty());
  }
}

}  // namespace
}  // namespace upwash::neighborhoods
