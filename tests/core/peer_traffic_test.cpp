// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion towards one peer, counts that a fence compares, puts that nobody acknowledges, and
// regions that are freed with operations under way.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/core/peer_traffic.hpp"

namespace {

using namespace upwash;

struct kept_answer {
  pending_answer whom;
};
void keep(memory_call& call, kept_answer& mine) { mine.whom = call.answer_later(); }

bool reaches(job& here, int peer) {
  if (peer == here.rank()) return true;
  const auto mine = host(here).endpoint().place(here.rank());
  return host(here)
      .endpoint()
      .describe()
      .of(conduit::nearness_of(mine, host(here).endpoint().place(peer)))
      .direct_access;
}

/// The word that `source` writes at `owner` in its i-th put.
std::uint64_t word_at(int source, int owner, std::uint64_t i) {
  return random_bits(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(owner), i) | 1U;
}

constexpr std::uint64_t puts_to_each = 40;

/// A region with a word for each put of each rank, and all of this rank's puts to everybody.
struct exchange {
  explicit exchange(job& home)
      : here(home),
        area(allocate(here.world(), static_cast<std::size_t>(here.size()) * puts_to_each *
                                        sizeof(word_at(0, 0, 0)))) {
    for (int to = 0; to < here.size(); ++to) {
      for (std::uint64_t i = 0; i < puts_to_each; ++i) words.push_back(word_at(here.rank(), to, i));
    }
  }
  [[nodiscard]] global_ptr<std::uint64_t> place(int to, std::uint64_t i) const {
    return area.at<std::uint64_t>(to, static_cast<std::uint64_t>(here.rank()) * puts_to_each + i);
  }
  [[nodiscard]] std::span<const std::uint64_t> word(int to, std::uint64_t i) const {
    return std::span(words).subspan(static_cast<std::size_t>(to) * puts_to_each + i, 1);
  }
  /// How many words of all ranks have not come here.
  [[nodiscard]] int missing() const {
    int count = 0;
    for (int from = 0; from < here.size(); ++from) {
      for (std::uint64_t i = 0; i < puts_to_each; ++i) {
        const auto at = static_cast<std::size_t>(from) * puts_to_each + i;
        if (area.mine_as<std::uint64_t>()[at] != word_at(from, here.rank(), i)) ++count;
      }
    }
    return count;
  }
  void put_all_unacknowledged() {
    for (std::uint64_t i = 0; i < puts_to_each; ++i) {
      for (int to = 0; to < here.size(); ++to) {
        put(here, place(to, i), word(to, i), unacknowledged).wait();
      }
    }
  }

  job& here;
  region area;
  std::vector<std::uint64_t> words;
};

}  // namespace

JOB_TEST(peer_traffic, quiet_of_a_rank_waits_for_that_rank_only, .least_ranks = 3, .most_ranks = 8,
         .alone = true) {
  kept_answer kept;
  exchange all(here);
  const auto late = add_memory_handler<&keep>(here, "test.keep", kept);
  control::barrier(here.world());
  const int slow = (here.rank() + 1) % here.size();
  const int quick = (here.rank() + 2) % here.size();
  call_owner(here, implicit, late, all.area.at(slow), {});
  for (std::uint64_t i = 0; i < puts_to_each; ++i) {
    put(here, all.place(quick, i), all.word(quick, i), implicit);
  }
  here.quiet(quick);
  const peer_traffic done = traffic_towards(here, quick);
  EXPECT_EQ(done.begun, done.complete);
  EXPECT_EQ(traffic_towards(here, slow).begun, traffic_towards(here, slow).complete + 1);
  const auto asked = [&] {
    const memory_hold held(here);
    return kept.whom.rank >= 0;
  };
  while (!asked()) here.progress();
  control::barrier(here.world());  // nobody is answered before all have come here
  give_answer(here, kept.whom, {});
  here.quiet(slow);
  EXPECT_EQ(traffic_towards(here, slow).begun, traffic_towards(here, slow).complete);
  here.quiet();
  control::barrier(here.world());
  free(all.area);
}

JOB_TEST(peer_traffic, counts_what_is_begun_and_complete_towards_each, .ordered_writes = false,
         .alone = true) {
  exchange all(here);
  control::barrier(here.world());
  random_stream draw(5, static_cast<std::uint64_t>(here.rank()));
  std::vector<std::uint64_t> wanted(static_cast<std::size_t>(here.size()));
  std::vector<request> open;
  for (int n = 0; n < 200; ++n) {
    const int to = static_cast<int>(draw.below(static_cast<std::uint64_t>(here.size())));
    const std::uint64_t i = draw.below(puts_to_each);
    ++wanted[static_cast<std::size_t>(to)];
    if (n % 2 == 0) {
      put(here, all.place(to, i), all.word(to, i), implicit);
    } else {
      open.push_back(put(here, all.place(to, i), all.word(to, i)));
    }
    const peer_traffic now = traffic_towards(here, to);
    EXPECT_LE(now.complete, now.begun);
  }
  wait_all(open);
  for (int to = 0; to < here.size(); ++to) {
    here.quiet(to);
    const peer_traffic now = traffic_towards(here, to);
    EXPECT_EQ(now.begun, now.complete) << to;
    EXPECT_EQ(now.sent, 0U);
    if (reaches(here, to)) {
      EXPECT_LE(now.begun, wanted[static_cast<std::size_t>(to)]);  // those before the key was here
    } else {
      EXPECT_EQ(now.begun, wanted[static_cast<std::size_t>(to)]) << to;
    }
  }
  control::barrier(here.world());
  free(all.area);
}

JOB_TEST(peer_traffic, confirmed_puts_are_visible, .alone = true) {
  exchange all(here);
  control::barrier(here.world());
  all.put_all_unacknowledged();
  std::vector<request> asked;
  for (int to = 0; to < here.size(); ++to) asked.push_back(confirm(here, to));
  wait_all(asked);
  for (int to = 0; to < here.size(); ++to) {
    const peer_traffic now = traffic_towards(here, to);
    EXPECT_EQ(now.begun, 0U) << "nobody acknowledges them";
    EXPECT_EQ(now.unflushed, 0U);
    std::vector<std::uint64_t> back(puts_to_each);
    get(here, all.place(to, 0), back).wait();
    for (std::uint64_t i = 0; i < puts_to_each; ++i) {
      ASSERT_EQ(back[i], word_at(here.rank(), to, i)) << to;
    }
  }
  control::barrier(here.world());
  EXPECT_EQ(all.missing(), 0);
  control::barrier(here.world());
  free(all.area);
}

/// Fence and barrier in one, as a layer does it: one sum over all members, no message a peer.
JOB_TEST(peer_traffic, two_ends_can_compare_counts, .alone = true) {
  exchange all(here);
  control::barrier(here.world());
  const auto ranks = static_cast<std::size_t>(here.size());
  for (int round = 0; round < 2; ++round) {
    std::fill(all.area.mine().begin(), all.area.mine().end(), std::byte{0});
    control::barrier(here.world());
    all.put_all_unacknowledged();
    std::vector<std::uint64_t> sent(ranks);
    for (int to = 0; to < here.size(); ++to) {
      const peer_traffic now = traffic_towards(here, to);
      sent[static_cast<std::size_t>(to)] = now.sent;
      if (now.unflushed != 0) confirm(here, to).wait();
    }
    control::all_reduce(here.world(), sent, control::fold::sum);
    wait_arrived(here, sent[static_cast<std::size_t>(here.rank())]);
    EXPECT_EQ(all.missing(), 0);
    std::uint64_t from_all = 0;
    for (int from = 0; from < here.size(); ++from) from_all += arrived_from(here, from);
    EXPECT_EQ(from_all, sent[static_cast<std::size_t>(here.rank())]);
    control::barrier(here.world());
  }
  free(all.area);
}

/// Left alone: the end of the job waits for them.
JOB_TEST(peer_traffic, puts_that_nobody_confirms_arrive_before_the_job_ends, .most_ranks = 5,
         .alone = true) {
  exchange all(here);
  control::barrier(here.world());
  all.put_all_unacknowledged();
  host(here).settle();
  EXPECT_EQ(all.missing(), 0);
  control::barrier(here.world());
  free(all.area);
}

TEST(peer_traffic, a_region_is_not_freed_with_operations_under_way) {
  for (const auto& world : {test::loopback_of(2), test::sim_of(2)}) {
    const std::string said = test::message_of(*world, [](job& here) {
      region area = allocate(here.world(), 64);
      const std::uint64_t value = 1;
      if (here.rank() == 1) {
        put(here, area.at<std::uint64_t>(0), std::span(&value, 1), implicit);
        put(here, area.at<std::uint64_t>(0, 1), std::span(&value, 1), implicit);
      }
      free(area);
    });
    EXPECT_EQ(
        said,
        "rank 1: free of a region on which this rank has operations under way (2 not told yet); "
        "wait for them, or for quiet, before");
  }
}

TEST(peer_traffic, of_no_rank_is_an_error) {
  for (const int rank : {-1, 2}) {
    const auto say = [rank](void (*ask)(job&, int)) {
      const auto world = test::sim_of(2);
      return test::message_of(*world, [&](job& here) {
        if (here.rank() == 0) ask(here, rank);
      });
    };
    const std::string wanted = "rank 0: a pointer to rank " + std::to_string(rank) + " of 2 ranks";
    EXPECT_EQ(say([](job& here, int r) { here.quiet(r); }), wanted);
    EXPECT_EQ(say([](job& here, int r) { (void)traffic_towards(here, r); }), wanted);
    EXPECT_EQ(say([](job& here, int r) { (void)arrived_from(here, r); }), wanted);
    EXPECT_EQ(say([](job& here, int r) { confirm(here, r).wait(); }), wanted);
  }
}

JOB_TEST(peer_traffic, towards_all_is_the_sum, .alone = true) {
  exchange all(here);
  control::barrier(here.world());
  random_stream draw(6, static_cast<std::uint64_t>(here.rank()));
  const auto expect_sums = [&] {
    peer_traffic sum;
    for (int to = 0; to < here.size(); ++to) {
      const peer_traffic one = traffic_towards(here, to);
      sum.begun += one.begun;
      sum.complete += one.complete;
      sum.sent += one.sent;
      sum.unflushed += one.unflushed;
      sum.unsent += one.unsent;
    }
    const peer_traffic now = traffic_towards_all(here);
    ASSERT_EQ(now.begun, sum.begun);
    ASSERT_EQ(now.complete, sum.complete);
    ASSERT_EQ(now.sent, sum.sent);
    ASSERT_EQ(now.unflushed, sum.unflushed);
    ASSERT_EQ(now.unsent, sum.unsent);
  };
  std::vector<request> open;
  for (std::uint64_t i = 0; i < puts_to_each; ++i) {
    const int to = static_cast<int>(draw.below(static_cast<std::uint64_t>(here.size())));
    const bool silent = i % 3 != 0;
    const peer_traffic before = traffic_towards(here, to);
    if (silent) {
      open.push_back(put(here, all.place(to, i), all.word(to, i), unacknowledged));
    } else {
      open.push_back(put(here, all.place(to, i), all.word(to, i)));
    }
    // None is in no count between its beginning and its way.
    const peer_traffic now = traffic_towards(here, to);
    if (silent && !open.back().done()) {
      EXPECT_GT(now.unsent + now.sent + now.unflushed,
                before.unsent + before.sent + before.unflushed);
    }
    expect_sums();
  }
  wait_all(open);
  expect_sums();
  EXPECT_EQ(traffic_towards_all(here).unsent, 0U);
  for (int to = 0; to < here.size(); ++to) confirm(here, to).wait();
  expect_sums();
  EXPECT_EQ(traffic_towards_all(here).unflushed, 0U);
  control::barrier(here.world());
  free(all.area);
}
