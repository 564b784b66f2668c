// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// After a fence what was stored is there, in whatever order the targets are asked; only those are
// asked that must be.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/weak_world.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/onesided/jobs/served_world.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/accumulate.hpp"
#include "upwash/onesided/fence.hpp"

namespace {

using namespace upwash;

constexpr std::uint64_t slots = 24;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

/// A word for each put of each rank at each rank.
struct stores {
  explicit stores(job& home)
      : here(home),
        area(allocate(here.world(), as_count(here.size()) * slots * 8)),
        words(as_count(here.size()) * slots) {
    control::barrier(here.world());
  }
  [[nodiscard]] global_ptr<std::uint64_t> place(int to, std::uint64_t slot) const {
    return area.at<std::uint64_t>(to, as_count(here.rank()) * slots + slot);
  }
  /// Of any kind: unacknowledged, implicit, by request.
  void store(int to, std::uint64_t slot, int kind, std::uint64_t value) {
    auto& word = words[as_count(to) * slots + slot];
    word = value;
    const std::span<const std::uint64_t> from(&word, 1);
    switch (kind) {
      case 0: put(here, place(to, slot), from, unacknowledged).wait(); break;
      case 1: put(here, place(to, slot), from, implicit); break;
      default: open.push_back(put(here, place(to, slot), from)); break;
    }
  }
  void expect_there(int to) {
    std::array<std::uint64_t, slots> back{};
    get(here, place(to, 0), back).wait();
    for (std::uint64_t i = 0; i < slots; ++i) EXPECT_EQ(back[i], words[as_count(to) * slots + i]);
    const peer_traffic now = traffic_towards(here, to);
    EXPECT_EQ(now.begun, now.complete);
    EXPECT_EQ(now.unflushed, 0U);
  }
  void end() {
    open.clear();
    here.quiet();
    control::barrier(here.world());
    free(area);
  }

  job& here;
  region area;
  std::vector<std::uint64_t> words;
  std::vector<request> open;
};

constexpr std::array orders{fence_order::sequential, fence_order::batches, fence_order::window};

}  // namespace

JOB_TEST(fence, all_that_was_stored_is_there) {
  stores all(here);
  random_stream draw(3, as_count(here.rank()));
  for (const fence_order order : orders) {
    for (const int in_flight : {1, 3, 100}) {
      for (int to = 0; to < here.size(); ++to) {
        for (std::uint64_t i = 0; i < slots; ++i) {
          if (draw.below(2) == 0) all.store(to, i, static_cast<int>(draw.below(3)), draw.next());
        }
      }
      fence_all(here, {.order = order, .in_flight = in_flight});
      for (int to = 0; to < here.size(); ++to) all.expect_there(to);
    }
  }
  all.end();
}

JOB_TEST(fence, of_one_rank) {
  stores all(here);
  random_stream draw(4, as_count(here.rank()));
  for (int round = 0; round < 6; ++round) {
    for (int to = 0; to < here.size(); ++to) {
      for (std::uint64_t i = 0; i < slots; ++i) {
        all.store(to, i, static_cast<int>(draw.below(3)), draw.next());
      }
    }
    for (int k = 0; k < here.size(); ++k) {
      const int to = (here.rank() + k) % here.size();
      fence(here, to);
      all.expect_there(to);
    }
  }
  all.end();
}

/// The first puts into a region wait for its key, others for credit: they are fenced, too.
JOB_TEST(fence, puts_that_wait_for_their_turn) {
  for (const bool of_all : {true, false}) {
    stores all(here);
    for (int to = 0; to < here.size(); ++to) {
      for (std::uint64_t i = 0; i < slots; ++i) {
        all.words[as_count(to) * slots + i] = 100 + i;
        all.open.push_back(
            put(here, all.place(to, i),
                std::span<const std::uint64_t>(&all.words[as_count(to) * slots + i], 1),
                unacknowledged));
      }
    }
    if (of_all) {
      fence_all(here);
    } else {
      for (int to = 0; to < here.size(); ++to) fence(here, to);
    }
    for (const request& each : all.open) EXPECT_TRUE(each.done());
    for (int to = 0; to < here.size(); ++to) {
      EXPECT_EQ(traffic_towards(here, to).unsent, 0U);
      all.expect_there(to);
    }
    all.end();
  }
}

/// A question to each target with puts that nobody acknowledged, in batches of K.
JOB_TEST(fence, asks_those_that_must_be_asked) {
  stores all(here);
  fence_all(here);  // a fence may leave puts that waited for a key to be asked for once more
  for (const fence_order order : orders) {
    for (const int in_flight : {1, 2, 5}) {
      int wanted = 0;
      for (int to = 0; to < here.size(); ++to) {
        all.store(to, 0, 1, 5);  // has its answer on the way
        if ((to + in_flight) % 3 == 0) continue;
        const std::uint64_t before = traffic_towards(here, to).sent;
        all.store(to, 1, 0, 6);
        all.store(to, 2, 0, 7);
        const peer_traffic now = traffic_towards(here, to);
        if (now.sent != before || now.unflushed != 0) ++wanted;  // else a copy did it
      }
      const fence_count first = fence_all(here, {.order = order, .in_flight = in_flight});
      EXPECT_EQ(first.asked, wanted);
      const int each = order == fence_order::sequential ? 1 : in_flight;
      const int rounds =
          order == fence_order::window ? (wanted == 0 ? 0 : 1) : (wanted + each - 1) / each;
      EXPECT_EQ(first.rounds, rounds);
      const fence_count second = fence_all(here, {.order = order, .in_flight = in_flight});
      EXPECT_EQ(second.asked, 0);
      EXPECT_EQ(second.rounds, 0);
    }
  }
  all.end();
}

/// On the wire: a question to each target and its answer, 2 (N - 1) where all others are targets,
/// in whatever order; none to others, none behind sums, which bring their answers.
TEST(fence, messages_are_as_many_as_the_formula_says) {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    for (const fence_order order : orders) {
      for (const int targets : {ranks - 1, ranks / 2}) {
        const auto world = test::make_weak_world(test::served_of(ranks, 0));
        const auto sent_by_each = [&] {
          std::vector<int> all;
          for (int r = 0; r < ranks; ++r) all.push_back(test::messages_of(*world, r));
          return all;
        };
        ASSERT_EQ(test::message_of(
                      *world,
                      [&](job& here) {
                        region area = allocate(here.world(), 16);
                        const std::int64_t one = 1;
                        control::barrier(here.world());
                        if (here.rank() == 0) {
                          for (int to = 1; to <= targets; ++to) {
                            const auto place = area.at<std::int64_t>(to);
                            accumulate(here, place, std::span(&one, 1)).wait();
                            put(here, place, std::span(&one, 1), unacknowledged).wait();
                          }
                          here.compute(duration::from_us(1000));  // all else has come by then
                          const auto before = sent_by_each();
                          EXPECT_EQ(fence_all(here, {.order = order, .in_flight = 3}).asked,
                                    targets);
                          const auto after = sent_by_each();
                          for (int r = 0; r < ranks; ++r) {
                            const int wanted = r == 0 ? targets : r <= targets ? 1 : 0;
                            EXPECT_EQ(after[as_count(r)] - before[as_count(r)], wanted) << r;
                          }
                          for (int r = 0; r < ranks; ++r)
                            put_value(here, area.at<std::uint64_t>(r, 1), 1);
                        }
                        wait_until(here, area.mine_as<std::uint64_t>()[1], comparison::equal, 1);
                        control::barrier(here.world());
                        free(area);
                      }),
                  "no error");
      }
    }
  }
}

TEST(fence, what_makes_no_sense_is_refused) {
  const auto world = test::sim_of(1);
  EXPECT_EQ(test::message_of(*world, [](job& here) { fence_all(here, {.in_flight = 0}); }),
            "rank 0: a fence with 0 requests in flight; give 1 or more");
  EXPECT_EQ(test::message_of(*world, [](job& here) { fence(here, 1); }),
            "rank 0: a pointer to rank 1 of 1 ranks");
}
