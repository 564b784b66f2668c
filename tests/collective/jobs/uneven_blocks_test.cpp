// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of blocks of different lengths as programs call them: containers, offsets with gaps,
// counts that only their owners know, persistent calls, calls that are refused.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;

std::size_t wide(int number) { return static_cast<std::size_t>(number); }

int item_of(int member, std::size_t i) { return member * 1000 + static_cast<int>(i); }

std::vector<int> items_of(int member, std::size_t count) {
  std::vector<int> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = item_of(member, i);
  return items;
}

/// The same at all members.
std::vector<std::uint64_t> drawn_counts(const team& among, std::uint64_t seed, std::uint64_t most) {
  random_stream random(seed, 0x756e);
  std::vector<std::uint64_t> counts;
  for (int i = 0; i < among.size(); ++i) counts.push_back(random.below(3) * random.below(most));
  return counts;
}

/// In the opposite order, a gap of two items before each.
std::vector<std::uint64_t> backwards(const std::vector<std::uint64_t>& counts) {
  std::vector<std::uint64_t> offsets(counts.size());
  std::uint64_t at = 0;
  for (std::size_t i = counts.size(); i-- > 0; at += counts[i]) offsets[i] = at += 2;
  return offsets;
}

std::string refusal(const auto& call) {
  try {
    call();
  } catch (const error& refused) {
    return refused.what();
  }
  return {};
}

void check_all(const team& among, std::uint64_t seed, std::uint64_t most) {
  const int me = among.rank();
  const int root = static_cast<int>(seed) % among.size();
  const auto counts = drawn_counts(among, seed, most);
  const auto offsets = backwards(counts);
  const std::uint64_t room = offsets[0] + counts[0];
  const auto mine = items_of(me, counts[wide(me)]);
  std::vector<int> wanted(room, -1);
  for (int peer = 0; peer < among.size(); ++peer) {
    const auto items = items_of(peer, counts[wide(peer)]);
    std::copy(items.begin(), items.end(),
              wanted.begin() + static_cast<std::ptrdiff_t>(offsets[wide(peer)]));
  }
  std::vector<int> all(room, -1);
  all_gather_v(among, blocking, mine, all, {counts, offsets});
  ASSERT_EQ(all, wanted) << "all_gather_v, seed " << seed;

  std::vector<int> at_root(me == root ? room : 0, -1);
  request gathered = gather_v(among, root, mine, at_root, {counts, offsets});
  // Another one is under way meanwhile.
  std::vector<int> back(counts[wide(me)], -1);
  request scattered = scatter_v(among, root, wanted, {counts, offsets}, back);
  scattered.wait();
  gathered.wait();
  ASSERT_EQ(back, mine) << "scatter_v, seed " << seed;
  ASSERT_EQ(at_root, me == root ? wanted : std::vector<int>()) << "gather_v, seed " << seed;

  std::vector<int> sums(counts[wide(me)], -1);
  reduce_scatter_v<sum>(among, blocking, wanted, {counts, offsets}, sums);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(sums[i], among.size() * item_of(me, i)) << "reduce_scatter_v, seed " << seed;
  }
  const int modulus = 17;
  const auto by = [modulus](int left, int right) { return (left + right) % modulus; };
  reduce_scatter_v(among, blocking, wanted, {counts, offsets}, sums, by);
  for (std::size_t i = 0; i < sums.size() && among.size() > 1; ++i) {
    ASSERT_EQ(sums[i], among.size() * item_of(me, i) % modulus) << "modulo, seed " << seed;
  }
}

}  // namespace

JOB_TEST(uneven_blocks, lie_where_their_offsets_say, .most_ranks = 33) {
  const team world = here.world();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    check_all(world, seed, seed % 3 == 0 ? 4 : 500);
    if (testing::Test::HasFatalFailure()) return;
  }
  // Members of a team that are not next to each other, in another order.
  team among = world.split(here.rank() % 2, -here.rank());
  check_all(among, 7, 100);
  among.release();
}

JOB_TEST(uneven_blocks, of_any_size, .most_ranks = 5) {
  check_all(here.world(), 3, 100'000);
  check_all(here.world(), 4, 1);  // of nothing
}

JOB_TEST(uneven_blocks, whose_lengths_only_their_owners_know, .most_ranks = 16) {
  const team world = here.world();
  const int root = here.size() - 1;
  const auto mine = items_of(here.rank(), wide(here.rank() % 4));
  std::vector<int> wanted;
  std::vector<std::size_t> counts;
  for (int peer = 0; peer < here.size(); ++peer) {
    const auto items = items_of(peer, wide(peer % 4));
    wanted.insert(wanted.end(), items.begin(), items.end());
    counts.push_back(items.size());
  }
  const auto all = all_gather_v(world, blocking, mine);
  EXPECT_EQ(all.data, wanted);
  EXPECT_EQ(all.counts, counts);
  const auto at_root = gather_v(world, blocking, root, mine);
  EXPECT_EQ(at_root.data, here.rank() == root ? wanted : std::vector<int>());
  EXPECT_EQ(at_root.counts.size(), here.rank() == root ? counts.size() : 0U);
  const bool knows = here.rank() == root;
  const auto back = scatter_v(world, blocking, root, knows ? wanted : std::vector<int>(),
                              knows ? counts : std::vector<std::size_t>());
  EXPECT_EQ(back, mine);
}

JOB_TEST(uneven_blocks, go_round_again_in_persistent_calls, .most_ranks = 8) {
  const team world = here.world();
  const auto counts = drawn_counts(world, 5, 40);
  std::vector<int> mine = items_of(here.rank(), counts[wide(here.rank())]);
  std::vector<int> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  collective::persistent again = all_gather_v(world, persist, mine, all, counts);
  for (int turn = 0; turn < 3; ++turn) {
    for (int& item : mine) item += turn;
    again.start().wait();
    std::size_t at = 0;
    for (int peer = 0; peer < here.size(); ++peer) {
      for (std::size_t i = 0; i < counts[wide(peer)]; ++i) {
        ASSERT_EQ(all[at++], item_of(peer, i) + turn * (turn + 1) / 2);
      }
    }
  }
}

JOB_TEST(uneven_blocks, that_do_not_fit_are_refused, .least_ranks = 2, .most_ranks = 2) {
  const team world = here.world();
  const std::vector<int> mine(3);
  std::vector<int> all(7);
  const std::vector<std::uint64_t> three{3, 3, 1};
  const std::vector<std::uint64_t> short_of{3, 3};
  const std::vector<std::uint64_t> other{4, 3};
  const std::vector<std::uint64_t> far{0, 5};
  const std::string me = fmt::format("rank {}: all_gather_v: ", here.rank());
  EXPECT_EQ(refusal([&] { all_gather_v(world, blocking, mine, all, three); }),
            me + "3 counts and 0 offsets are given for 2 members; give a count for each, and an "
                 "offset for each or none");
  EXPECT_EQ(refusal([&] { all_gather_v(world, blocking, mine, all, short_of); }),
            me + "the counts add up to 6 elements, the buffer of all blocks has 7");
  EXPECT_EQ(refusal([&] {
              all_gather_v(world, blocking, mine, all, {short_of, far});
            }),
            me + "the block of member 1: 3 elements at 5 leave a buffer of 7");
  if (here.rank() == 0) {
    EXPECT_EQ(refusal([&] { all_gather_v(world, blocking, mine, all, other); }),
              me + "the member's own buffer has 3 elements, its count says 4");
  }
  EXPECT_THROW(gather_v(world, blocking, 2, mine, all, short_of), error);
  barrier(world, blocking);
}

TEST(uneven_blocks, that_land_on_each_other_are_refused_in_checked_runs) {
  const std::vector<std::uint64_t> counts{3, 0, 2};
  const auto body_at = [&](const std::vector<std::uint64_t>& offsets) {
    return [&](job& here) {
      const std::vector<int> mine(counts[wide(here.rank())]);
      std::vector<int> all(7);
      all_gather_v(here.world(), blocking, mine, all, {counts, offsets});
    };
  };
  const std::vector<std::uint64_t> apart{2, 3, 0};  // what has no elements lies anywhere
  const std::vector<std::uint64_t> overlapping{2, 0, 4};
  EXPECT_EQ(test::message_of(*test::loopback_of(3), body_at(apart), {.checked = true}), "no error");
  const std::string said =
      test::message_of(*test::loopback_of(3), body_at(overlapping), {.checked = true});
  EXPECT_NE(said.find("the blocks of members 0 and 2 overlap: 3 elements at 2 and 2 at 4"),
            std::string::npos)
      << said;
}
