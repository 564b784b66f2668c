// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/rank_scheduler.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "upwash/base/process.hpp"

namespace upwash::conduit {
namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10U;
constexpr wait_reason why{.operation = "a test"};

/// Other processes of which nothing comes, but what a test says after so many idles.
class quiet_world final : public outside_world {
 public:
  int poll_for_all() override { return ++polls == comes_at ? what_comes() : 0; }
  void pause() noexcept override { ++idles; }
  void resumed() noexcept override { ++resumes; }

  int polls = 0;
  int idles = 0;
  int resumes = 0;
  int comes_at = -1;
  function_ref<int()> what_comes = none;

 private:
  static int none() { return 0; }
};

wait_target until_set(const std::uint64_t& word) {
  return wait_target::word(word, comparison::not_equal, 0);
}

TEST(rank_scheduler, resumes_a_rank_when_another_sets_its_word) {
  quiet_world outside;
  rank_scheduler ranks(10, 3, stack_bytes, outside, nullptr);
  std::vector<std::uint64_t> words(3);
  std::vector<int> order;
  ranks.run([&](int rank) {
    const int own = rank - 10;
    if (own != 2) ranks.idle(rank, until_set(words[static_cast<std::size_t>(own)]), why);
    order.push_back(rank);
    if (own != 0) words[static_cast<std::size_t>(own - 1)] = 1;
  });
  EXPECT_EQ(order, (std::vector{12, 11, 10}));
  EXPECT_EQ(outside.idles, 0) << "a rank was ready all the time";
}

TEST(rank_scheduler, a_woken_rank_goes_on_without_a_look_at_the_others) {
  quiet_world outside;
  rank_scheduler ranks(0, 64, stack_bytes, outside, nullptr);
  const std::uint64_t never = 0;
  std::uint64_t over = 0;
  int turns = 0;
  ranks.run([&](int rank) {
    if (rank > 1) return ranks.idle(rank, until_set(over), why);
    for (int i = 0; i < 1000; ++i, ++turns) {
      ranks.wake(static_cast<std::size_t>(1 - rank));
      if (i != 999 || rank == 0) ranks.idle(rank, until_set(never), why);
    }
    over = 1;
    ranks.wake(static_cast<std::size_t>(1 - rank));
  });
  EXPECT_EQ(turns, 2000);
  EXPECT_LT(outside.polls, 100) << "a round takes as many turns as there are ranks";
}

TEST(rank_scheduler, idles_until_something_comes_from_outside) {
  quiet_world outside;
  rank_scheduler ranks(0, 2, stack_bytes, outside, nullptr);
  const std::uint64_t never = 0;
  const auto comes = [&] {
    ranks.wake(0);
    ranks.wake(1);
    return 1;
  };
  outside.comes_at = 20;
  outside.what_comes = comes;
  ranks.run([&](int rank) { ranks.idle(rank, until_set(never), why); });
  EXPECT_GE(outside.idles, 15);
  EXPECT_EQ(outside.resumes, 1);
}

TEST(rank_scheduler, a_rank_that_polls_is_resumed_each_round_and_the_process_idles_all_the_same) {
  quiet_world outside;
  rank_scheduler ranks(0, 2, stack_bytes, outside, nullptr);
  std::uint64_t over = 0;
  int looks = 0;
  ranks.run([&](int rank) {
    if (rank == 1) return ranks.idle(rank, until_set(over), why);
    for (; looks < 10; ++looks) {
      wait_target until = until_set(over);
      until.set_polls(true);
      ranks.idle(rank, until, why);
    }
    over = 1;
  });
  EXPECT_EQ(looks, 10);
  EXPECT_GE(outside.idles, 8);
}

TEST(rank_scheduler, who_waits_for_what_nobody_tells_is_resumed_now_and_then) {
  quiet_world outside;
  rank_scheduler ranks(0, 200, stack_bytes, outside, nullptr);
  std::uint64_t over = 0;
  int looked = 0;
  ranks.run([&](int rank) {
    ranks.idle(rank, until_set(over), why);
    if (++looked == 200) over = 1;
    if (over == 0) ranks.idle(rank, until_set(over), why);
  });
  EXPECT_GE(outside.idles, 64) << "not in short waits";
  EXPECT_LT(outside.idles, 200) << "a part of them each round";
}

TEST(rank_scheduler, a_rank_that_yields_keeps_nobody_from_the_core_and_does_not_idle) {
  quiet_world outside;
  rank_scheduler ranks(0, 3, stack_bytes, outside, nullptr);
  std::vector<int> turns;
  ranks.run([&](int rank) {
    for (int i = 0; i < 3; ++i) {
      turns.push_back(rank);
      ranks.yield(rank);
    }
  });
  EXPECT_EQ(turns, (std::vector{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(outside.idles, 0);
}

TEST(rank_scheduler, draws_the_turns_of_ready_ranks_from_a_seed) {
  const auto turns_of = [](std::uint64_t seed) {
    quiet_world outside;
    random_stream random(seed, 0);
    rank_scheduler ranks(0, 8, stack_bytes, outside, &random);
    std::vector<int> turns;
    ranks.run([&](int rank) {
      for (int i = 0; i < 4; ++i) {
        turns.push_back(rank);
        ranks.yield(rank);
      }
    });
    return turns;
  };
  EXPECT_EQ(turns_of(1), turns_of(1));
  EXPECT_NE(turns_of(1), turns_of(2));
  EXPECT_EQ(turns_of(3).size(), 32U);
}

TEST(rank_scheduler, an_exception_of_one_rank_ends_the_run) {
  quiet_world outside;
  rank_scheduler ranks(0, 3, stack_bytes, outside, nullptr);
  const std::uint64_t never = 0;
  const auto body = [&](int rank) {
    if (rank == 1) throw std::runtime_error("of rank 1");
    ranks.idle(rank, until_set(never), why);
    FAIL() << "rank " << rank << " went on";
  };
  EXPECT_THROW(ranks.run(body), std::runtime_error);
  EXPECT_EQ(process::current_rank(), -1);
}

}  // namespace
}  // namespace upwash::conduit
