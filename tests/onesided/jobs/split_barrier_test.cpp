// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier in two halves: begin (notify), work of one's own, wait. Nobody's wait returns before
// all have begun, the work between is nobody's concern, and what was complete before the beginning
// is seen by all behind the wait.
#include <cstdint>
#include <span>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/fence_barrier.hpp"

namespace {

using namespace upwash;

constexpr std::uint64_t rounds = 12;

/// `begin`: of one barrier on the team.
void split(const team& among, request (*begin)(const team&)) {
  job& here = among.here();
  region area = allocate(among, 8);
  region begun = allocate(among, 8);
  control::barrier(among);
  random_stream draw(21, static_cast<std::uint64_t>(here.rank()));
  const int next = (among.rank() + 1) % among.size();
  const int late = static_cast<int>(draw.below(2));
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    put_value(here, area.at<std::uint64_t>(next), round);
    if (draw.below(2) == 0) here.compute(duration::from_us(5 * late));
    atomic_store(here, begun.at<std::uint64_t>(among.rank()), round);
    request meeting = begin(among);
    // Own work meanwhile; some of it makes progress.
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 100; ++i) sum += draw.below(3);
    if (sum % 2 == 0) here.progress();
    if (meeting.test()) {  // early only where all have come
      for (int m = 0; m < among.size(); ++m) {
        ASSERT_GE(atomic_load(here, begun.at<std::uint64_t>(m)), round);
      }
    }
    meeting.wait();
    for (int m = 0; m < among.size(); ++m) {
      ASSERT_GE(atomic_load(here, begun.at<std::uint64_t>(m)), round);
    }
    ASSERT_EQ(area.mine_as<std::uint64_t>()[0], round);
    control::barrier(among);  // the next round's put comes behind this look
  }
  free(begun);
  free(area);
}

request plain(const team& among) { return barrier(among); }
request fencing(const team& among) { return fence_barrier_async(among); }

}  // namespace

JOB_TEST(split_barrier, meets_between_begin_and_wait, .most_ranks = 16) {
  split(here.world(), &plain);
  split(here.world(), &fencing);
}

JOB_TEST(split_barrier, of_teams_that_overlap, .least_ranks = 3, .most_ranks = 8) {
  const team odd = here.world().split(here.rank() % 2, -here.rank());
  const team low = here.world().split(here.rank() * 2 < here.size() ? 0 : 1, here.rank());
  for (const team& each : {odd, low}) split(each, &plain);
  // Two at once: begun one after the other, waited for the other way round.
  request first = barrier(odd);
  request second = barrier(low);
  second.wait();
  first.wait();
}

/// The work between its halves does not lengthen it: 100 us each, begun together.
TEST(split_barrier, hides_behind_work) {
  conduit::sim_options options;
  options.ranks = 8;
  options.on = load_machine("tungsten:ranks_a_node=1");
  const auto world = conduit::make_sim_world(options);
  EXPECT_EQ(test::message_of(*world,
                             [](job& here) {
                               barrier(here.world(), blocking);
                               const duration step = duration::from_us(5);
                               control::barrier(here.world());
                               const duration start = here.now();
                               request meeting = barrier(here.world());
                               for (int i = 0; i < 20; ++i) {
                                 here.compute(step);
                                 here.progress();
                               }
                               meeting.wait();
                               const duration split = here.now() - start;
                               control::barrier(here.world());
                               const duration again = here.now();
                               here.compute(step * 20);
                               barrier(here.world(), blocking);
                               const duration apart = here.now() - again;
                               EXPECT_LT(split.us(), apart.us());
                             }),
            "no error");
}
