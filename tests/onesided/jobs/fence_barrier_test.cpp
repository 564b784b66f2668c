// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Behind a fence_barrier each member finds in its own memory what all members began before.
#include "upwash/onesided/fence_barrier.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/onesided/jobs/served_world.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;

constexpr std::uint64_t slots = 6;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

/// What `source` does to `target` in a round, known to both: for each slot nothing, or a word.
struct deed {
  bool put = false;
  int kind = 0;
  std::uint64_t word = 0;
  std::uint64_t add = 0;  ///< to the target's counter
};
deed deed_of(std::uint64_t seed, int source, int target, std::uint64_t round, std::uint64_t slot) {
  random_stream draw(random_bits(seed, as_count(source), as_count(target)), round * slots + slot);
  deed made;
  made.put = draw.below(3) != 0 && draw.below(3) != 0;
  made.kind = static_cast<int>(draw.below(5));
  made.word = draw.next();
  made.add = draw.below(4) == 0 ? 1 + draw.below(9) : 0;
  return made;
}

/// Ranks that put at random, and look at their own memory with plain loads. Two banks take turns:
/// who is through a round may put the next one while others still look.
struct play {
  play(job& home, std::uint64_t its_seed)
      : here(home),
        seed(its_seed),
        area(allocate(here.world(), 2 * as_count(here.size()) * slots * 8)),
        counters(allocate(here.world(), 16, atomicity::automatic,
                          {{atomic_kind::add, atomic_kind::fetch_add}, false, true})),
        words(2 * as_count(here.size()) * slots),
        wanted(2 * as_count(here.size()) * slots) {
    control::barrier(here.world());
  }
  [[nodiscard]] std::uint64_t index(int rank, std::uint64_t round, std::uint64_t slot) const {
    return ((round & 1U) * as_count(here.size()) + as_count(rank)) * slots + slot;
  }

  void put_to(int target, std::uint64_t round) {
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      const deed what = deed_of(seed, here.rank(), target, round, slot);
      if (what.put) store(target, round, slot, what);
      if (what.add == 0) continue;
      open.push_back(atomic_async(here, counters.at<std::uint64_t>(target, round & 1U),
                                  atomic_kind::add, what.add, 0, nullptr));
    }
  }
  void store(int target, std::uint64_t round, std::uint64_t slot, const deed& what) {
    std::uint64_t& word = words[index(target, round, slot)];
    word = what.word;
    const std::span<const std::uint64_t> from(&word, 1);
    const auto to = area.at<std::uint64_t>(target, index(here.rank(), round, slot));
    switch (what.kind) {
      case 0: put(here, to, from, unacknowledged).wait(); break;
      case 1: put(here, to, from, implicit); break;
      case 2: open.push_back(put(here, to, from)); break;
      default: open.push_back(put(here, to, from, unacknowledged)); break;
    }
  }

  /// What `source` put here in the round has come.
  void note_from(int source, std::uint64_t round) {
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      const deed what = deed_of(seed, source, here.rank(), round, slot);
      if (what.put) wanted[index(source, round, slot)] = what.word;
      sums[round & 1U] += what.add;
    }
  }
  void expect_here(std::uint64_t round, const std::string& trace) {
    const auto mine = area.mine_as<std::uint64_t>();
    for (int source = 0; source < here.size(); ++source) {
      for (std::uint64_t slot = 0; slot < slots; ++slot) {
        const std::uint64_t at = index(source, round, slot);
        ASSERT_EQ(mine[at], wanted[at]) << trace << ": round " << round << ", rank " << here.rank()
                                        << ", from " << source << ", slot " << slot;
      }
    }
    ASSERT_EQ(counters.mine_as<std::uint64_t>()[round & 1U], sums[round & 1U]) << trace;
  }
  /// One round among the members of a team.
  template <class Fence>
  void round_among(const team& among, std::uint64_t round, const std::string& trace, Fence fence) {
    for (int member = 0; member < among.size(); ++member) put_to(among.world_rank(member), round);
    fence();
    for (const request& each : open) EXPECT_TRUE(each.done());
    open.clear();
    for (int member = 0; member < among.size(); ++member) {
      note_from(among.world_rank(member), round);
    }
    expect_here(round, trace);
  }
  void end() {
    open.clear();
    here.quiet();
    control::barrier(here.world());
    free(counters);
    free(area);
  }

  job& here;
  std::uint64_t seed;
  region area;
  region counters;
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> wanted;
  std::array<std::uint64_t, 2> sums{};
  std::vector<request> open;
};

constexpr std::array kinds{fence_barrier_kind::automatic, fence_barrier_kind::combined,
                           fence_barrier_kind::separate};

}  // namespace

namespace {

void put_at_random(job& here) {
  for (const fence_barrier_kind kind : kinds) {
    play all(here, 11);
    for (std::uint64_t round = 0; round < 6; ++round) {
      all.round_among(here.world(), round, "kind " + std::to_string(static_cast<int>(kind)),
                      [&] { fence_barrier(here.world(), {.kind = kind}); });
    }
    all.end();
  }
}

}  // namespace

JOB_TEST(fence_barrier, all_that_members_began_is_there) { put_at_random(here); }

/// Where puts are messages: they are held up longer than the exchanges take.
TEST(fence_barrier, all_that_members_began_is_there_however_late) {
  const std::uint64_t seeds = test::sanitized ? 10 : 60;
  for (const int ranks : {2, 3, 5, 8}) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("ranks " + std::to_string(ranks) + ", seed " + std::to_string(seed));
      const auto world = test::served_of(ranks, seed);
      ASSERT_EQ(test::message_of(*world, &put_at_random), "no error");
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

JOB_TEST(fence_barrier, as_a_request) {
  play all(here, 12);
  for (std::uint64_t round = 0; round < 6; ++round) {
    all.round_among(here.world(), round, "request", [&] {
      request done = fence_barrier_async(here.world());
      while (!done.test()) here.compute(duration::from_us(1));
    });
  }
  all.end();
}

/// A rank gets puts in several teams, and from ranks that are in none of its own.
JOB_TEST(fence_barrier, teams_that_overlap, .least_ranks = 3, .most_ranks = 16) {
  play all(here, 13);
  const team odd = here.world().split(here.rank() % 2, -here.rank());
  const team low = here.world().split(here.rank() * 2 < here.size() ? 0 : 1, here.rank());
  const std::array teams{odd, low, here.world()};
  // A bank is used again three fence_barriers later, the last of which was the world's.
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    for (std::uint64_t at = 0; at < teams.size(); ++at) {
      const team& among = teams[at];
      const fence_barrier_kind kind =
          (turn + at) % 2 == 0 ? fence_barrier_kind::combined : fence_barrier_kind::automatic;
      all.round_among(among, turn * 2 + (at == 1 ? 1 : 0), "overlap",
                      [&] { fence_barrier(among, {.kind = kind}); });
      if (at != 1) fence_barrier(here.world(), {.kind = fence_barrier_kind::combined});
    }
  }
  all.end();
}

JOB_TEST(fence_barrier, several_under_way_on_several_teams, .least_ranks = 3, .most_ranks = 16) {
  play all(here, 14);
  const team odd = here.world().split(here.rank() % 2, -here.rank());
  const team low = here.world().split(here.rank() * 2 < here.size() ? 0 : 1, here.rank());
  for (std::uint64_t round = 0; round < 6; ++round) {
    all.round_among(here.world(), round, "several", [&] {
      // In another order at each rank: they are of different teams.
      std::array<request, 4> open;
      const int first = here.rank() % 3;
      for (int i = 0; i < 3; ++i) {
        const int which = (first + i) % 3;
        const team& among = which == 0 ? odd : which == 1 ? low : here.world();
        open[as_count(which)] = fence_barrier_async(among);
      }
      open[3] = fence_barrier_async(here.world());  // two on one team
      open[3].wait();
      wait_all(open);
    });
  }
  all.end();
}

/// Behind a call that has not returned a rank puts on; in a sum of all ranks these puts would stand
/// for the long one, which comes late.
namespace {

void put_behind_the_call(job& here) {
  constexpr std::uint64_t many = 1U << 15U;
  region area = allocate(here.world(), (many + 64) * 8);
  control::barrier(here.world());
  const int last = here.size() - 1;
  std::vector<std::uint64_t> words(many, 0);
  auto mine = area.mine_as<std::uint64_t>();
  for (std::uint64_t round = 1; round <= 4; ++round) {
    std::vector<request> open;
    if (here.rank() == 0) {
      words.assign(many, round);
      open.push_back(put(here, area.at<std::uint64_t>(last, 0), words, unacknowledged));
    }
    request done = fence_barrier_async(here.world());
    if (here.rank() != 0 && here.rank() != last) {
      for (int i = 0; i < 20; ++i) {
        words[0] = round;
        open.push_back(put(here, area.at<std::uint64_t>(last, many + as_count(here.rank())),
                           std::span(words).first(1), unacknowledged));
        open.back().wait();
      }
    }
    done.wait();
    if (here.rank() == last) {
      for (std::uint64_t i = 0; i < many; ++i) ASSERT_EQ(mine[i], round) << i;
    }
    open.clear();
    fence_barrier(here.world());
  }
  free(area);
}

}  // namespace

JOB_TEST(fence_barrier, puts_begun_behind_the_call_count_for_none, .least_ranks = 3,
         .most_ranks = 8, .ordered_writes = false) {
  put_behind_the_call(here);
}

TEST(fence_barrier, puts_begun_behind_the_call_count_for_none_however_late) {
  const std::uint64_t seeds = test::sanitized ? 5 : 30;
  for (const int ranks : {3, 4, 6}) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("ranks " + std::to_string(ranks) + ", seed " + std::to_string(seed));
      const auto world = test::served_of(ranks, seed);
      ASSERT_EQ(test::message_of(*world, &put_behind_the_call), "no error");
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

/// One after the other, without a wait between: the counts of each are those before its call.
JOB_TEST(fence_barrier, back_to_back, .most_ranks = 8) {
  region area = allocate(here.world(), as_count(here.size()) * 32 * 8);
  control::barrier(here.world());
  std::array<std::uint64_t, 32> words{};
  std::array<request, 32> open;
  std::vector<request> puts;
  for (std::uint64_t i = 0; i < open.size(); ++i) {
    words[i] = i + 1;
    for (int to = 0; to < here.size(); ++to) {
      puts.push_back(put(here, area.at<std::uint64_t>(to, as_count(here.rank()) * 32 + i),
                         std::span(words).subspan(i, 1), unacknowledged));
    }
    open[i] = fence_barrier_async(here.world());
  }
  const auto mine = area.mine_as<std::uint64_t>();
  for (std::uint64_t i = 0; i < open.size(); ++i) {
    open[i].wait();
    for (int from = 0; from < here.size(); ++from) {
      const std::uint64_t& word = mine[as_count(from) * 32 + i];
      ASSERT_EQ(std::atomic_ref(const_cast<std::uint64_t&>(word)).load(), i + 1) << from;
    }
  }
  wait_all(puts);
  control::barrier(here.world());
  free(area);
}

/// All enter before any leaves, with and without puts.
JOB_TEST(fence_barrier, is_a_barrier, .on_shm = false) {
  region area = allocate(here.world(), 8, atomicity::automatic,
                         {{atomic_kind::add, atomic_kind::fetch_add}, false, true});
  control::barrier(here.world());
  random_stream draw(5, as_count(here.rank()));
  const auto entered = area.at<std::uint64_t>(0);
  for (std::uint64_t round = 1; round <= 10; ++round) {
    here.compute(duration::from_us(static_cast<double>(draw.below(30))));
    add(here, entered, 1);
    if (round % 2 == 0) {
      fence_barrier(here.world(), {.kind = fence_barrier_kind::combined});
    } else {
      fence_barrier_async(here.world()).wait();
    }
    ASSERT_GE(get_value(here, entered), round * as_count(here.size()));
  }
  control::barrier(here.world());
  free(area);
}
