// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks that are handed over by a put of one word, many times, on a team that spans nodes: its
// owner serves puts of other nodes while ranks of its node store to the same word.
#include <cstdint>

#include "tests/harness/job_test.hpp"
#include "tests/onesided/jobs/lock_contest.hpp"
#include "upwash/core/host.hpp"

using namespace upwash;

/// The last three members contend; the others only progress.
JOB_TEST(lock_stress, no_hand_over_is_lost, .least_ranks = 2, .most_ranks = 8) {
  const int rounds = host(here).endpoint().describe().virtual_time ? 4 : 200;
  const bool contends = here.rank() >= here.size() - 3;
  const team few = here.world().split(contends ? 0 : 1, here.rank());
  if (!contends) return;
  for (const lock_kind kind : {lock_kind::ticket, lock_kind::hybrid, lock_kind::array}) {
    test::contend(few, kind, few.size() - 1, few.size() - 1, rounds);
  }
}
