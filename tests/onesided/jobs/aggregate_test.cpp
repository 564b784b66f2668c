// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small puts that ride together arrive, in as few messages as their bytes need.
#include "upwash/onesided/aggregate.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/compare.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

/// What a rank puts; every rank can play every rank. No two puts meet, since each has its words.
struct small_put {
  int target = 0;
  int area = 0;
  std::uint64_t word = 0;
  std::vector<std::uint64_t> values;
};
std::vector<small_put> puts_of(int rank, int ranks, std::uint64_t words) {
  random_stream draw(91, as_count(rank));
  std::vector<small_put> all;
  std::vector<std::uint64_t> next(as_count(ranks) * 2);
  for (int i = 0; i < 300; ++i) {
    small_put made;
    made.target = static_cast<int>(draw.below(as_count(ranks)));
    made.area = draw.below(12) == 0 ? 1 : 0;
    std::uint64_t& from = next[as_count(made.target) * 2 + as_count(made.area)];
    from += draw.below(3);
    made.word = from;
    made.values.resize(draw.below(40) == 0 ? 200 : draw.below(4));
    for (auto& each : made.values) each = draw.next();
    from += made.values.size();
    if (from > words) break;
    all.push_back(made);
  }
  return all;
}

}  // namespace

JOB_TEST(aggregate, puts_arrive, .most_ranks = 16) {
  constexpr std::uint64_t words = 4000;
  const std::uint64_t slice = words * as_count(here.size());
  std::vector<region> areas{allocate(here.world(), slice * 8), allocate(here.world(), slice * 8)};
  const std::uint64_t mine = words * as_count(here.rank());
  random_stream draw(92, as_count(here.rank()));
  {
    std::vector<std::unique_ptr<aggregate>> to;
    for (int r = 0; r < here.size(); ++r) to.push_back(std::make_unique<aggregate>(here, r));
    std::vector<request> open;
    for (small_put& each : puts_of(here.rank(), here.size(), words)) {
      aggregate& puts = *to[as_count(each.target)];
      const auto at = areas[as_count(each.area)].at<std::uint64_t>(each.target, mine + each.word);
      if (each.values.size() == 1) {
        puts.put(at, each.values[0]);
      } else {
        puts.put(at, std::span<const std::uint64_t>(each.values));
      }
      each.values.assign(each.values.size(), 0);  // a copy was taken
      if (draw.below(50) == 0) open.push_back(puts.flush());
    }
    wait_all(open);
    if (here.rank() % 2 == 0) {
      for (auto& each : to) each->flush().wait();
    }
  }
  here.quiet();
  control::barrier(here.world());
  std::vector<std::vector<std::uint64_t>> wanted(2, std::vector<std::uint64_t>(slice));
  for (int source = 0; source < here.size(); ++source) {
    for (const small_put& each : puts_of(source, here.size(), words)) {
      if (each.target != here.rank()) continue;
      for (std::size_t i = 0; i < each.values.size(); ++i) {
        wanted[as_count(each.area)][words * as_count(source) + each.word + i] = each.values[i];
      }
    }
  }
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(test::first_difference(areas[a].mine_as<std::uint64_t>(), wanted[a]), slice) << a;
  }
  control::barrier(here.world());
  for (region& each : areas) free(each);
}

/// A head of 24 bytes, then 8 bytes of data and 8 that say where they go; adjacent ones go on.
JOB_TEST(aggregate, messages_are_full, .least_ranks = 2, .most_ranks = 4, .on_shm = false,
         .on_direct = false, .on_composite = false, .shares_process = false, .alone = true) {
  const std::uint64_t medium = medium_limit(here, 1);
  const std::uint64_t apart = (medium - 24) / 16;
  const std::uint64_t adjacent = (medium - 32) / 8;
  region area = allocate(here.world(), 2 * medium);
  if (here.rank() == 0) {
    aggregate puts(here, 1);
    for (std::uint64_t i = 0; i <= apart; ++i) {
      EXPECT_EQ(puts.gathered(), i);
      puts.put(area.at<std::uint64_t>(1, 2 * i % (medium / 4)), i);
      EXPECT_EQ(puts.messages(), i < apart ? 0U : 1U) << i;
    }
    EXPECT_EQ(puts.gathered(), 1U);
    puts.flush().wait();
    EXPECT_EQ(puts.messages(), 2U);
    EXPECT_EQ(puts.gathered(), 0U);
    for (std::uint64_t i = 0; i < adjacent; ++i) {
      puts.put(area.at<std::uint64_t>(1, i), i);
      EXPECT_EQ(puts.gathered(), 1U);
    }
    EXPECT_EQ(puts.messages(), 2U);
    puts.flush().wait();
    EXPECT_EQ(puts.messages(), 3U);
    puts.flush().wait();
    EXPECT_EQ(puts.messages(), 3U);  // nothing to send
  }
  control::barrier(here.world());
  if (here.rank() == 1) {
    for (std::uint64_t i = 0; i < adjacent; ++i) {
      EXPECT_EQ(area.mine_as<std::uint64_t>()[i], i);
    }
  }
  control::barrier(here.world());
  free(area);
}

TEST(aggregate, what_makes_no_sense_is_refused) {
  const auto world = test::sim_of(2);
  const auto refused = [&](void (*body)(job&, const region&)) {
    return test::message_of(*world, [&](job& here) {
      region area = allocate(here.world(), 64);
      if (here.rank() == 0) body(here, area);
      control::barrier(here.world());
      free(area);
    });
  };
  EXPECT_EQ(refused([](job& here, const region&) { const aggregate puts(here, 2); }),
            "rank 0: an aggregate of puts to rank 2; the job has ranks 0 to 1");
  const auto again = test::sim_of(2);
  EXPECT_EQ(test::message_of(*again,
                             [](job& here) {
                               region area = allocate(here.world(), 64);
                               aggregate puts(here, 1);
                               if (here.rank() == 0) puts.put(area.at<int>(0), 1);
                               control::barrier(here.world());
                             }),
            "rank 0: put to rank 0 by an aggregate of puts to rank 1; make one for each target");
  const auto beyond = test::sim_of(2);
  EXPECT_EQ(test::message_of(*beyond,
                             [](job& here) {
                               region area = allocate(here.world(), 64);
                               aggregate puts(here, 1);
                               if (here.rank() == 0) puts.put(area.at<std::int64_t>(1, 8), 1);
                               control::barrier(here.world());
                             }),
            "rank 0: put to rank 1: a layout that reaches over 8 bytes from offset 64 on leaves "
            "the 64 bytes that are there");
}
