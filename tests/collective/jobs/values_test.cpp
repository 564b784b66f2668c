// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of one value, of ranges, and of items whose numbers are exchanged.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"

namespace {

using namespace upwash;

struct pair_of {
  int rank;
  double half;
};

/// A function of which the order of ranks can be told: the last one.
struct right_one {
  template <class T>
  constexpr T operator()(const T& /*left*/, const T& right) const {
    return right;
  }
};

/// The text of the error, or "no error".
template <class Call>
std::string said(const Call& call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "no error";
}

std::vector<int> numbers_from(int first, int count) {
  std::vector<int> made;
  for (int i = 0; i < count; ++i) made.push_back(first + i);
  return made;
}

}  // namespace

JOB_TEST(collectives_of_values, reductions) {
  const team world = here.world();
  const int me = world.rank();
  const int ranks = world.size();
  EXPECT_EQ(all_reduce<sum>(world, blocking, me + 1), ranks * (ranks + 1) / 2);
  const double most_of_all = all_reduce<most>(world, blocking, me * 0.5);
  EXPECT_EQ(most_of_all, (ranks - 1) * 0.5);
  EXPECT_EQ(all_reduce<right_one>(world, blocking, me), ranks - 1);
  EXPECT_EQ(scan<sum>(world, blocking, me), me * (me + 1) / 2);
  const std::optional<int> before = exclusive_scan<sum>(world, blocking, me + 1);
  EXPECT_EQ(before.has_value(), me > 0);
  EXPECT_EQ(before.value_or(0), me * (me + 1) / 2);
  for (int root = 0; root < ranks; ++root) {
    const std::optional<int> at_root = reduce<sum>(world, blocking, root, me);
    ASSERT_EQ(at_root.has_value(), me == root);
    ASSERT_EQ(at_root.value_or(0), me == root ? ranks * (ranks - 1) / 2 : 0);
  }
}

JOB_TEST(collectives_of_values, copies) {
  const team world = here.world();
  const int me = world.rank();
  for (int root = 0; root < world.size(); ++root) {
    pair_of told{me, me * 0.5};
    broadcast(world, blocking, root, told);
    ASSERT_EQ(told.rank, root);
    ASSERT_EQ(told.half, root * 0.5);
  }
  const std::vector<pair_of> all = all_gather(world, blocking, pair_of{me, me * 0.5});
  ASSERT_EQ(all.size(), static_cast<std::size_t>(world.size()));
  for (int r = 0; r < world.size(); ++r) ASSERT_EQ(all[static_cast<std::size_t>(r)].rank, r);
  const auto arrays = all_gather(world, blocking, std::array<int, 2>{me, -me},
                                 collective_options{.exit = sync_mode::all});
  EXPECT_EQ(arrays.back()[1], 1 - world.size());
}

JOB_TEST(collectives_of_ranges, containers_stand_where_spans_do) {
  const team world = here.world();
  const auto ranks = static_cast<std::size_t>(world.size());
  const int me = world.rank();
  const std::vector<int> mine = numbers_from(me * 3, 3);
  const std::vector<int> wanted = numbers_from(0, world.size() * 3);
  std::vector<int> all(3 * ranks);

  all_gather(world, mine, all).wait();
  EXPECT_EQ(all, wanted);
  std::fill(all.begin(), all.end(), 0);
  all_gather(world, blocking, numbers_from(me * 3, 3), all);  // a temporary serves while it blocks
  EXPECT_EQ(all, wanted);
  std::fill(all.begin(), all.end(), 0);
  auto kept = all_gather(world, persist, std::span(mine), all);
  kept.start().wait();
  EXPECT_EQ(all, wanted);
  std::vector<int> placed(3 * ranks);
  std::copy(mine.begin(), mine.end(), placed.begin() + me * 3);
  all_gather(world, blocking, in_place, placed);
  EXPECT_EQ(placed, wanted);

  std::vector<int> swapped(ranks);
  all_to_all(world, wanted, all).wait();
  EXPECT_EQ(all[0], me * 3);
  const std::vector<int> own(ranks, me);
  all_to_all(world, blocking, own, swapped);
  EXPECT_EQ(swapped, numbers_from(0, world.size()));
}

JOB_TEST(collectives_of_ranges, arrays_are_reduced) {
  const team world = here.world();
  const int me = world.rank();
  const int ranks = world.size();
  const std::array<int, 2> mine{me, 1};
  std::array<int, 2> all{};
  int plain[2] = {};
  all_reduce<sum>(world, mine, all).wait();
  EXPECT_EQ(all, (std::array<int, 2>{ranks * (ranks - 1) / 2, ranks}));
  all_reduce<most>(world, blocking, mine, plain);
  EXPECT_EQ(plain[0], ranks - 1);
  all_reduce<sum>(world, in_place, plain).wait();
  EXPECT_EQ(plain[1], ranks);
  scan<sum>(world, blocking, mine, all);
  EXPECT_EQ(all[1], me + 1);
  exclusive_scan<sum>(world, mine, all).wait();
  EXPECT_EQ(all[1], me == 0 ? 1 : me);
  std::vector<int> out(2);
  reduce<sum>(world, blocking, 0, std::span<const int, 2>(mine), std::span(out));
  EXPECT_EQ(out[1], me == 0 ? ranks : 0);
  const std::vector<int> blocks(static_cast<std::size_t>(ranks), 1);
  std::array<int, 1> scattered{};
  reduce_scatter<sum>(world, blocks, scattered).wait();
  EXPECT_EQ(scattered[0], ranks);
}

JOB_TEST(collectives_of_ranges, with_a_root) {
  const team world = here.world();
  const int root = world.size() - 1;
  const int me = world.rank();
  std::vector<int> gathered(me == root ? static_cast<std::size_t>(world.size()) : 0);
  const int mine[] = {me};
  gather(world, root, mine, gathered).wait();
  EXPECT_EQ(gathered, numbers_from(0, me == root ? world.size() : 0));
  std::array<int, 1> back{};
  scatter(world, blocking, root, gathered, back);
  EXPECT_EQ(back[0], me);
  std::string text = me == root ? "upwash" : "......";
  broadcast(world, root, text).wait();
  EXPECT_EQ(text, "upwash");
  int numbers[3] = {me, me, me};
  broadcast(world, blocking, root, numbers);
  EXPECT_EQ(numbers[2], root);
}

JOB_TEST(collectives_of_ranges, all_to_all_v_learns_what_comes) {
  const team world = here.world();
  const int me = world.rank();
  const int ranks = world.size();
  std::vector<double> in;
  std::vector<int> counts;
  for (int to = 0; to < ranks; ++to) {  // me + 1 items for the next, none for others but myself
    counts.push_back(to == (me + 1) % ranks ? me + 1 : (to == me ? 2 : 0));
    for (int i = 0; i < counts.back(); ++i) in.push_back(me * 100 + to);
  }
  for (int repeat = 0; repeat < 2; ++repeat) {
    const exchanged<double> came =
        repeat == 0 ? all_to_all_v<double>(world, blocking, in, counts)
                    : all_to_all_v(world, blocking, std::span(in), std::span(counts));
    ASSERT_EQ(came.counts.size(), static_cast<std::size_t>(ranks));
    std::size_t at = 0;
    for (int from = 0; from < ranks; ++from) {
      const int expected = me == (from + 1) % ranks ? from + 1 : (from == me ? 2 : 0);
      ASSERT_EQ(came.counts[static_cast<std::size_t>(from)], static_cast<std::size_t>(expected));
      for (int i = 0; i < expected; ++i) ASSERT_EQ(came.data.at(at++), from * 100 + me);
    }
    ASSERT_EQ(at, came.data.size());
  }
}

JOB_TEST(collectives_of_ranges, all_to_all_v_refuses_counts_that_do_not_fit) {
  const team world = here.world();
  const auto ranks = static_cast<std::size_t>(world.size());
  const std::vector<int> in(3);
  const auto with = [&](std::vector<long> counts) {
    return said([&] { static_cast<void>(all_to_all_v(world, blocking, in, counts)); });
  };
  EXPECT_NE(with(std::vector<long>(ranks + 1)).find("give one for each"), std::string::npos);
  std::vector<long> counts(ranks);
  EXPECT_NE(with(counts).find("the counts add up to 0 of 3 items"), std::string::npos);
  counts[0] = 4;
  EXPECT_NE(with(counts).find("member 0 is to get 4 items, but 3 are left"), std::string::npos);
  counts[0] = -1;
  EXPECT_NE(with(counts).find("count -1 for member 0 is below 0"), std::string::npos);
}
