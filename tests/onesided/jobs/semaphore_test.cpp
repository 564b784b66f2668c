// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// No post is lost and none counts twice; who has waited for a post finds the data that came with
// it; notices of one rank are none of another's.
#include "upwash/onesided/semaphore.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/onesided/jobs/served_world.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

/// What `source` posts to `target` in its i-th post, known to both: which of three, and how often.
struct posting {
  int index;
  std::uint64_t n;
};
posting posting_of(int source, int target, std::uint64_t i) {
  random_stream draw(random_bits(as_count(source), as_count(target), i), 1);
  return {static_cast<int>(draw.below(3)), 1 + draw.below(5)};
}
constexpr std::uint64_t posts_to_each = 12;

/// Each posts to all, the owners take in other portions; exactly as many as were posted are there.
void count(const team& among, std::uint64_t initial) {
  job& here = among.here();
  semaphore_set all(among, 3, initial);
  EXPECT_EQ(all.value(1), initial);
  control::barrier(among);
  std::array<std::uint64_t, 3> left{initial, initial, initial};
  for (int source = 0; source < among.size(); ++source) {
    for (std::uint64_t i = 0; i < posts_to_each; ++i) {
      const posting one = posting_of(source, among.rank(), i);
      left[static_cast<std::size_t>(one.index)] += one.n;
    }
  }
  std::vector<request> open;
  random_stream draw(9, as_count(here.rank()));
  for (std::uint64_t i = 0; i < posts_to_each; ++i) {
    for (int target = 0; target < among.size(); ++target) {
      const posting one = posting_of(among.rank(), target, i);
      open.push_back(all.post(target, one.index, one.n));
    }
  }
  while (left[0] + left[1] + left[2] != 0) {
    const auto index = draw.below(3);
    if (left[index] == 0) continue;
    const std::uint64_t portion = 1 + draw.below(left[index]);
    if (draw.below(2) == 0) {
      all.wait(static_cast<int>(index), portion);
    } else {
      while (!all.try_wait(static_cast<int>(index), portion)) here.compute(duration::from_ns(200));
    }
    left[index] -= portion;
  }
  wait_all(open);
  control::barrier(among);  // all posts of all are complete
  for (int index = 0; index < 3; ++index) {
    EXPECT_EQ(all.value(index), 0U);
    EXPECT_FALSE(all.try_wait(index));
  }
  all.release();
  EXPECT_FALSE(all);
}

void count_among_all(job& here) {
  count(here.world(), 0);
  count(here.world(), 7);
}

constexpr std::uint64_t places = 3;
constexpr std::uint64_t item_words = 150;  // more than the least conduits carry in one message
std::uint64_t word_of(int source, std::uint64_t item, std::uint64_t i) {
  return random_bits(as_count(source), item, i) | 1U;
}

/// A ring of ranks, each hands items to the next through a few places: `filled` with the data,
/// `emptied` back, alone.
void hand_round(job& here) {
  constexpr std::uint64_t items = 20;
  const int next = (here.rank() + 1) % here.size();
  const int before = (here.rank() + here.size() - 1) % here.size();
  region area = allocate(here.world(), places * item_words * 8);
  semaphore_set filled(here.world(), static_cast<int>(places));
  semaphore_set emptied(here.world(), 1, places);
  std::vector<std::uint64_t> item(places * item_words);
  std::array<request, places> under_way;
  std::vector<request> told;
  std::uint64_t taken = 0;
  const auto take = [&] {
    const std::uint64_t at = taken % places;
    int wrong = 0;
    for (std::uint64_t i = 0; i < item_words; ++i) {
      if (area.mine_as<std::uint64_t>()[at * item_words + i] != word_of(before, taken, i)) ++wrong;
    }
    EXPECT_EQ(wrong, 0) << "words of item " << taken << ", rank " << here.rank();
    told.push_back(emptied.post(before, 0));
    ++taken;
  };
  for (std::uint64_t sent = 0; sent < items; ++sent) {
    while (!emptied.try_wait(0)) {
      if (filled.try_wait(static_cast<int>(taken % places))) take();
      here.compute(duration::from_ns(300));
    }
    const std::uint64_t at = sent % places;
    under_way[at].wait();
    const auto words = std::span(item).subspan(at * item_words, item_words);
    for (std::uint64_t i = 0; i < item_words; ++i) words[i] = word_of(here.rank(), sent, i);
    under_way[at] = filled.put_and_post(area.at<std::uint64_t>(next, at * item_words), words,
                                        static_cast<int>(at));
  }
  while (taken < items) {
    filled.wait(static_cast<int>(taken % places));
    take();
  }
  wait_all(under_way);
  wait_all(told);
  control::barrier(here.world());
  EXPECT_EQ(emptied.value(0), places);
  emptied.release();
  filled.release();
  free(area);
}

/// Notices of pairs: each waits for all others in an order of its own, whatever others sent before.
void notify_pairs(job& here) {
  const team among = here.world();
  notifications pairs(among);
  region area = allocate(among, as_count(among.size()) * 8);
  const auto mine = area.mine_as<std::uint64_t>();
  random_stream draw(4, as_count(here.rank()));
  std::vector<std::uint64_t> words(as_count(among.size()));
  std::vector<request> open(as_count(among.size()));
  const int first = static_cast<int>(draw.below(as_count(among.size())));
  for (std::uint64_t round = 1; round <= 5; ++round) {
    for (int k = 0; k < among.size(); ++k) {
      const int to = (first + k) % among.size();
      words[as_count(to)] = round * 1000 + as_count(here.rank());
      const std::span<const std::uint64_t> word(&words[as_count(to)], 1);
      open[as_count(to)] =
          pairs.put_and_notify(area.at<std::uint64_t>(to, as_count(here.rank())), word);
      open.push_back(pairs.notify(to, round));
    }
    for (int k = among.size() - 1; k >= 0; --k) {
      const int from = (first + k) % among.size();
      // Either may come first: the data is there with both.
      pairs.wait_for(from, 1 + round);
      ASSERT_EQ(mine[as_count(from)], round * 1000 + as_count(from)) << round;
      ASSERT_FALSE(pairs.try_wait_for(from)) << "of the next round";
    }
    wait_all(open);
    open.resize(as_count(among.size()));
    control::barrier(among);
  }
  pairs.release();
  free(area);
}

std::string refusal(void (*body)(job&)) {
  const auto world = test::sim_of(2);
  return test::message_of(*world, [&](job& here) { body(here); });
}

}  // namespace

JOB_TEST(semaphores, take_as_much_as_was_posted) { count_among_all(here); }

JOB_TEST(semaphores, bring_their_data) { hand_round(here); }

JOB_TEST(semaphores, of_teams_that_overlap, .least_ranks = 3, .most_ranks = 16) {
  const team odd = here.world().split(here.rank() % 2, -here.rank());
  const team low = here.world().split(here.rank() * 2 < here.size() ? 0 : 1, here.rank());
  for (const team& each : {odd, low}) count(each, 2);
}

JOB_TEST(notifications, count_for_their_pair_only) { notify_pairs(here); }

TEST(semaphores, where_puts_are_messages) {
  test::run_served(&count_among_all, test::sanitized ? 5 : 25);
  test::run_served(&hand_round, test::sanitized ? 5 : 25);
}

TEST(notifications, where_puts_are_messages) {
  test::run_served(&notify_pairs, test::sanitized ? 5 : 25);
}

JOB_TEST(semaphores, sets_come_and_go, .most_ranks = 5) {
  for (int round = 0; round < 4; ++round) {
    semaphore_set none(here.world(), 0);
    semaphore_set first(here.world(), 2, 1);
    semaphore_set second(here.world(), 2);
    const int next = (here.rank() + 1) % here.size();
    first.post(next, 1, 3).wait();
    semaphore_set moved = std::move(first);
    moved.wait(1, 4);
    EXPECT_EQ(moved.value(1), 0U);
    EXPECT_EQ(moved.value(0), 1U);
    EXPECT_EQ(second.value(1), 0U);
    moved.release();
    second.release();
    none.release();
    none.release();
  }
}

TEST(semaphores, what_makes_no_sense_is_refused) {
  EXPECT_EQ(refusal([](job& here) {
              semaphore_set all(here.world(), 2);
              if (here.rank() == 1) all.post(2, 0).wait();
            }),
            "rank 1: post of a semaphore at member 2; the team has members 0 to 1");
  EXPECT_EQ(refusal([](job& here) {
              semaphore_set all(here.world(), 2);
              if (here.rank() == 1) all.wait(2);
            }),
            "rank 1: wait of semaphore 2 at member 1; the set has 2 at each, counted from 0");
  EXPECT_EQ(refusal([](job& here) {
              semaphore_set all(here.world(), 2);
              if (here.rank() == 1) all.post(0, 1, 0).wait();
            }),
            "rank 1: post of semaphore 1 at member 0 by 0; give 1 to 2^62");
  EXPECT_EQ(refusal([](job& here) {
              notifications all(here.world());
              if (here.rank() == 1) all.wait_for(-1);
            }),
            "rank 1: wait_for of member -1; the team has members 0 to 1");
  EXPECT_EQ(
      refusal([](job& here) {
        if (here.rank() == 0) semaphore_set(here.world(), -1);
      }),
      "rank 0: a set of -1 semaphores a rank with the value 0; give 0 or more semaphores, and "
      "values up to 2^62");
  const std::string said = refusal([](job& here) { semaphore_set(here.world(), 2 + here.rank()); });
  const std::string rank = said.substr(0, 6);
  EXPECT_EQ(said, rank + ": a set of " + (rank == "rank 0" ? "2" : "3") +
                      " semaphores a rank with the value 0, and another member asks for another "
                      "one; give the same numbers at all members");
  const auto world = test::sim_of(1);
  EXPECT_EQ(test::message_of(*world, [](job& /*here*/) { semaphore_set().wait(0); }),
            "wait of a semaphore in a set that was not made, or is released");
  EXPECT_EQ(test::message_of(*world, [](job& /*here*/) { notifications().wait_for(0); }),
            "wait_for among notifications that were not made, or are released");
}
