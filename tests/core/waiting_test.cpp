// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for words that peers write, over and over.
#include <sys/resource.h>

#include <string>

#include "tests/harness/job_test.hpp"

namespace {

using namespace upwash;

/// How often this process has slept: giving the processor on does not count.
long sleeps() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;
}

}  // namespace

/// Many short waits are no long one: nobody naps however long they take together.
JOB_TEST(waiting, is_young_with_every_wait, .least_ranks = 2, .most_ranks = 2, .on_sim = false,
         .on_direct = false, .on_loopback = false, .shares_process = false,
         .environment = {"UPWASH_SLEEP_AFTER=30ms"}) {
  const team world = here.world();
  region words = allocate(world, sizeof(std::uint64_t));
  std::uint64_t* const mine = local(here, words.at<std::uint64_t>(here.rank()));
  const auto theirs = words.at<std::uint64_t>(1 - here.rank());
  control::barrier(world);
  const long before = sleeps();
  constexpr std::uint64_t turns = 1000;
  for (std::uint64_t turn = 1; turn <= turns; ++turn) {
    // Too late for a few looks at the word, so that the partner idles.
    const duration late = here.now() + duration::from_us(100);
    while (here.rank() == 0 && here.now() < late) {
    }
    put_value(here, theirs, turn);
    wait_until(here, *mine, conduit::comparison::greater_equal, turn);
  }
  const long slept = sleeps() - before;
  control::barrier(world);
  free(words);
  if (slept < static_cast<long>(turns) / 10) return;
  throw error(error_kind::fault, "rank " + std::to_string(here.rank()) + " slept " +
                                     std::to_string(slept) + " times in " + std::to_string(turns) +
                                     " waits");
}
