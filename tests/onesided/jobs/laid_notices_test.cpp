// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Notices of strided and listed data: whoever is told finds all of it, and is told once.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/compare.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/onesided/jobs/served_world.hpp"
#include "tests/onesided/layout_samples.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/semaphore.hpp"
#include "upwash/onesided/transfer.hpp"

namespace {

using namespace upwash;
using bytes = std::vector<std::byte>;

constexpr std::uint64_t most = 3000;  // bytes of either end of a layout
constexpr std::uint64_t rounds = 10;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

bytes filled(std::uint64_t seed, std::uint64_t rank) {
  random_stream draw(seed, rank);
  bytes made(most);
  for (std::byte& each : made) each = static_cast<std::byte>(1 + draw.below(255));
  return made;
}

/// What `source` puts in a round: known to both ends.
struct sending {
  sending(int source, std::uint64_t round) : from(filled(round, as_count(source))) {
    random_stream draw(random_bits(as_count(source), round, 3), 1);
    laid = test::draw_layout(draw, most);
    how.packed_below = draw.below(2) == 0 ? 0 : std::numeric_limits<std::size_t>::max();
  }
  [[nodiscard]] bytes at_target() const {
    bytes all(most);
    for (const auto& [local, remote] : test::bytes_of(laid)) all[remote] = from[local];
    return all;
  }
  test::any_layout laid;
  bytes from;
  transfer_options how;
};

void expect_arrived(const region& area, std::uint64_t round, int source) {
  const sending one(source, round);
  const auto seen = area.mine().subspan(round * most, most);
  EXPECT_EQ(test::first_difference(seen, one.at_target()), most)
      << "round " << round << " from " << source;
}

/// All rounds are under way at once, each to a place and a semaphore of its own.
void post_behind_layouts(job& here) {
  const int next = (here.rank() + 1) % here.size();
  const int before = (here.rank() + here.size() - 1) % here.size();
  region area = allocate(here.world(), rounds * most);
  semaphore_set there(here.world(), rounds);
  std::vector<sending> all;
  std::vector<request> open;
  for (std::uint64_t i = 0; i < rounds; ++i) all.emplace_back(here.rank(), i);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    open.push_back(there.put_and_post(area.at(next, i * most), all[i].from, all[i].laid.view(),
                                      static_cast<int>(i), 1 + i, all[i].how));
  }
  for (std::uint64_t i = 0; i < rounds; ++i) {
    there.wait(static_cast<int>(i), 1 + i);
    expect_arrived(area, i, before);
  }
  wait_all(open);
  control::barrier(here.world());
  for (int i = 0; i < there.per_rank(); ++i) EXPECT_EQ(there.value(i), 0U) << "posted once";
  control::barrier(here.world());
  there.release();
  free(area);
}

/// To all, and one word more.
void notify_of_layouts(job& here) {
  const auto size = as_count(here.size());
  region area = allocate(here.world(), size * most);
  notifications pairs(here.world());
  std::vector<sending> all;
  std::vector<request> open;
  for (int to = 0; to < here.size(); ++to) all.emplace_back(here.rank(), as_count(to));
  for (int to = 0; to < here.size(); ++to) {
    const sending& one = all[as_count(to)];
    open.push_back(pairs.put_and_notify(area.at(to, as_count(here.rank()) * most), one.from,
                                        one.laid.view(), 2, one.how));
  }
  for (int from = here.size() - 1; from >= 0; --from) {
    pairs.wait_for(from, 2);
    const auto seen = area.mine().subspan(as_count(from) * most, most);
    const bytes wanted = sending(from, as_count(here.rank())).at_target();
    EXPECT_EQ(test::first_difference(seen, wanted), most) << "from " << from;
  }
  wait_all(open);
  control::barrier(here.world());
  pairs.release();
  free(area);
}

void count_call(void* calls) { ++*static_cast<int*>(calls); }

/// A callback is called once however many runs there are, and finds the data where it is to be.
void call_back_once(job& here) {
  const int next = (here.rank() + 1) % here.size();
  region area = allocate(here.world(), rounds * most);
  std::vector<sending> all;
  for (std::uint64_t i = 0; i < rounds; ++i) all.emplace_back(here.rank(), i);
  std::vector<int> calls(rounds);
  completion_counter left;
  const auto until_called = [&] {
    for (const int& each : calls) {
      while (each == 0) here.progress();
    }
  };
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const sending& one = all[i];
    put(here, area.at(next, i * most), one.from, one.laid.view(),
        notice::call(&count_call, &calls[i]), one.how);
  }
  until_called();
  std::vector<bytes> back(rounds, bytes(most));
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const auto from = area.at(next, i * most);
    if (i % 2 == 0) {
      get(here, from, back[i], strided{most}, notice::to(left));
    } else {  // in two runs, each a get of its own or packed
      const strided halves{most / 2, 1, {{{2, most / 2, most / 2}}}};
      get(here, from, back[i], halves, notice::call(&count_call, &calls[i]), all[i].how);
    }
  }
  left.wait(here);
  for (std::uint64_t i = 1; i < rounds; i += 2) {
    while (calls[i] == 1) here.progress();
  }
  for (std::uint64_t i = 0; i < rounds; ++i) {
    EXPECT_EQ(test::first_difference(back[i], all[i].at_target()), most) << "round " << i;
  }
  control::barrier(here.world());
  for (std::uint64_t i = 0; i < rounds; ++i) EXPECT_EQ(calls[i], i % 2 == 0 ? 1 : 2) << i;
  free(area);
}

}  // namespace

JOB_TEST(laid_notices, come_behind_all_runs) { post_behind_layouts(here); }

JOB_TEST(laid_notices, of_pairs, .most_ranks = 8) { notify_of_layouts(here); }

JOB_TEST(laid_notices, call_back_once, .most_ranks = 8) { call_back_once(here); }

TEST(laid_notices, where_puts_are_messages) {
  test::run_served(&post_behind_layouts, test::sanitized ? 5 : 25);
  test::run_served(&notify_of_layouts, test::sanitized ? 5 : 25);
}

TEST(laid_notices, what_makes_no_sense_is_refused_and_leaves_nothing) {
  const auto refusal = [](void (*body)(job&, semaphore_set&, const region&)) {
    const auto world = test::sim_of(2);
    return test::message_of(*world, [&](job& here) {
      region area = allocate(here.world(), here.rank() == 0 ? 64 : 640);
      semaphore_set there(here.world(), 1);
      if (here.rank() == 1) body(here, there, area);
      here.quiet();
      control::barrier(here.world());
      there.release();
      free(area);
    });
  };
  static const bytes mine(640);
  static const strided halves{8, 1, {{{2, 8, 16}}}};
  EXPECT_EQ(refusal([](job& here, semaphore_set&, const region& area) {
              put(here, area.at(0), mine, halves, notice());
            }),
            "rank 1: put of a layout: the notice is empty; pass `implicit` instead");
  EXPECT_EQ(refusal([](job& here, semaphore_set&, const region& area) {
              bytes into(640);
              get(here, area.at(0), into, halves, notice());
            }),
            "rank 1: get of a layout: the notice is empty; pass `implicit` instead");
  EXPECT_EQ(refusal([](job&, semaphore_set& there, const region& area) {
              there.put_and_post(area.at(0), mine, halves, 1).wait();
            }),
            "rank 1: put_and_post of semaphore 1 at member 0; the set has 1 at each, counted from "
            "0");
  EXPECT_EQ(refusal([](job&, semaphore_set& there, const region& area) {
              EXPECT_THROW(there.put_and_post(area.at(0, 636), mine, halves, 0).wait(), error);
              there.put_and_post(area.at(0), mine, halves, 0).wait();
            }),
            "no error");
}
