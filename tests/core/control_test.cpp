// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Control collectives that not all members call: who is missing is named at once where messages of
// another call come.
#include <string>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"

namespace {

using namespace upwash;

/// What a job of three says whose last rank does something else than the others.
std::string said_when_the_last_does(function_ref<void(const team&)> others,
                                    function_ref<void(const team&)> last) {
  const auto world = test::loopback_of(3);
  return test::message_of(*world, [&](job& here) {
    const team all = here.world();
    (here.rank() == 2 ? last : others)(all);
  });
}

void meet(const team& all) { control::barrier_by_messages(all); }

}  // namespace

TEST(control, names_the_rank_that_has_left) {
  EXPECT_EQ(said_when_the_last_does(meet, [](const team&) {}),
            "rank 0: barrier #2 of the world: rank 2 never called it, and waits in finish");
}

TEST(control, names_both_calls_where_they_differ) {
  const std::string said = said_when_the_last_does(meet, [](const team& all) {
    char word = 0;
    control::broadcast_value(all, 2, word);
  });
  EXPECT_EQ(said,
            "rank 0: barrier #2 of the world: rank 2 is in broadcast there; all members make the "
            "same calls in the same order");
}
