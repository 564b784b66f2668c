// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams that their members make and release each by itself: messages and collectives meet on them
// whoever made his first, and nothing stays.
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "tests/collective/jobs/rank_words.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/core/team_at_once.hpp"
#include "upwash/core/teams.hpp"
#include "upwash/matching/messages.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;
using test::words;
using test::words_of;

std::vector<int> everybody(const job& here) {
  std::vector<int> all(static_cast<std::size_t>(here.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void expect_sums(const words& out, int members) {
  const auto size = static_cast<std::uint64_t>(members);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], size * (size + 1) / 2 * 1'000'003 + size * i);
  }
}

}  // namespace

JOB_TEST(teams_at_once, keep_what_comes_before_they_are_made, .least_ranks = 2) {
  m::keep_early(here);
  control::barrier(here.world());  // all do so
  for (std::uint64_t turn = 0; turn < 8; ++turn) {
    const std::vector<std::byte> out(turn % 2 == 0 ? 100 : 20'000, std::byte{7});
    std::vector<std::byte> into(out.size());
    std::vector<request> going;
    team mine;
    if (here.rank() == 0) {
      mine = make_at_once(here.world(), everybody(here), turn);
      for (int to = 1; to < here.size(); ++to) going.push_back(m::send(mine, to, 3, out));
    }
    control::barrier(here.world());
    here.progress();
    m::drop_early(here);  // what has come stays, once
    if (here.rank() != 0) {
      mine = make_at_once(here.world(), everybody(here), turn);
      EXPECT_EQ(m::receive(mine, 0, 3, into).wait().bytes, out.size());
      EXPECT_EQ(into, out);
    }
    for (request& each : going) each.wait();
    m::drop_early(here);
    release_at_once(mine);
    EXPECT_FALSE(mine);
    control::barrier(here.world());  // nobody is two teams ahead
  }
  EXPECT_EQ(m::memory_of(here).kept, 0U);
}

JOB_TEST(teams_at_once, drop_what_comes_behind_them, .least_ranks = 2) {
  m::keep_early(here);
  control::barrier(here.world());  // all do so
  const std::vector<std::byte> lost(1000, std::byte{7});
  const int peer = (here.rank() + 1) % here.size();
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    team mine = make_at_once(here.world(), everybody(here), turn);
    const std::uint64_t id = mine.id();
    if (here.rank() != 0) {
      release_at_once(mine);
      team other = make_at_once(here.world(), everybody(here), 100 + turn);
      release_at_once(other);
    }
    control::barrier(here.world());
    request going;
    if (here.rank() == 0) going = m::send(mine, peer, 1, lost, m::mode::synchronous);
    std::vector<std::uint64_t> over(1);
    while (over[0] == 0) {
      m::drop_early(here);
      over[0] = going.test() ? 1 : 0;
      control::all_reduce(here.world(), over, control::fold::least);
    }
    if (here.rank() == 0) release_at_once(mine);
    EXPECT_FALSE(team_exists(here, id));
  }
  EXPECT_EQ(m::memory_of(here).kept, 0U);
  EXPECT_EQ(m::memory_of(here).contexts, 0U);
}

JOB_TEST(teams_at_once, have_collectives_before_and_behind_what_they_share) {
  constexpr int turns = test::sanitized ? 4 : 12;
  for (int turn = 0; turn < turns; ++turn) {
    const auto drawn =
        random_bits(5, static_cast<std::uint64_t>(turn), static_cast<std::uint64_t>(here.rank()));
    here.compute(duration::from_ns(static_cast<double>(drawn % 20'000)));
    team mine = make_at_once(here.world(), everybody(here), static_cast<std::uint64_t>(turn));
    const std::size_t count = turn % 3 == 0 ? 5000 : 3;
    const words in = words_of(here.rank(), count);
    std::vector<words> out(4, words(count));
    std::vector<request> going;
    const auto begin = [&](std::size_t which) {
      going.push_back(
          all_reduce<sum>(mine, std::span<const std::uint64_t>(in), std::span(out[which])));
    };
    begin(0);
    begin(1);
    announce(mine);
    begin(2);
    all_reduce<sum>(mine, blocking, std::span<const std::uint64_t>(in), std::span(out[3]));
    for (request& each : going) each.wait();
    for (const words& each : out) expect_sums(each, here.size());
    while (!collective::is_at_rest(mine)) here.progress();
    control::barrier(here.world());  // all are done with it
    release_at_once(mine);
  }
}

JOB_TEST(teams_at_once, of_one_name_are_refused_twice) {
  team mine = make_at_once(here.world(), everybody(here), 9);
  EXPECT_THROW((void)make_at_once(here.world(), everybody(here), 9), error);
  const std::vector<int> lacks;
  EXPECT_THROW((void)make_at_once(here.world(), lacks, 9), error);
  team other = make_at_once(here.world(), everybody(here), 10);
  EXPECT_NE(mine.id(), other.id());
  release_at_once(other);
  release_at_once(mine);
}
