// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tagged messages of items, and waiting for handles of several kinds.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"

namespace {

using namespace upwash;

struct place {
  int rank;
  double at;
};

static_assert(waitable<request> && waitable<request&> && waitable<matching::receiving&>);
static_assert(waitable<std::vector<request>&> && waitable<std::span<matching::receiving>>);
static_assert(!waitable<int> && !waitable<std::vector<int>&> && !waitable<collective::persistent&>);

}  // namespace

JOB_TEST(messages_typed, ring_of_containers) {
  const team world = here.world();
  const int next = (world.rank() + 1) % world.size();
  const int before = (world.rank() + world.size() - 1) % world.size();
  for (const std::size_t items : {std::size_t{0}, std::size_t{3}, std::size_t{5000}}) {
    const std::vector<double> mine(items, world.rank());
    std::vector<double> theirs(items, -1);
    auto coming = receive(world, before, 3, theirs);
    auto going = send(world, next, 3, mine);
    wait_all(going, coming);
    ASSERT_EQ(theirs, std::vector<double>(items, before));
  }
}

JOB_TEST(messages_typed, one_value_an_array_a_text) {
  const team world = here.world();
  const int next = (world.rank() + 1) % world.size();
  const int before = (world.rank() + world.size() - 1) % world.size();
  const place mine{world.rank(), 0.5};
  place theirs{};
  auto first = send(world, next, 1, mine);
  const matching::receipt got = receive(world, blocking, before, 1, theirs);
  EXPECT_EQ(got.source, before);
  EXPECT_EQ(got.bytes, sizeof(place));
  EXPECT_EQ(theirs.rank, before);
  first.wait();

  const int three[3] = {1, 2, 3};
  std::array<int, 4> four{};
  send(world, blocking, next, 2, three);
  EXPECT_EQ(receive(world, blocking, any_source, 2, four).bytes, sizeof three);
  EXPECT_EQ(four, (std::array<int, 4>{1, 2, 3, 0}));

  send(world, blocking, next, 4, std::string("temporaries serve"));
  std::string text(17, '.');
  EXPECT_EQ(receive(world, blocking, before, any_tag, std::span(text)).tag, 4);
  EXPECT_EQ(text, "temporaries serve");
}

JOB_TEST(messages_typed, bytes_are_as_in_messages_hpp) {
  using namespace upwash::matching;  // both may be used in one program
  const team world = here.world();
  const int me = world.rank();
  const std::vector<std::byte> mine(10, static_cast<std::byte>(me));
  std::vector<std::byte> theirs(10);
  request going = send(world, me, 1, std::span(mine));
  receiving coming = receive(world, any_source, any_tag, std::span(theirs));
  wait_all(coming, going);
  EXPECT_EQ(theirs, mine);
}

JOB_TEST(messages_typed, a_message_that_is_too_long_is_told) {
  const team world = here.world();
  const std::array<int, 2> two{1, 2};
  int one = 7;
  request going = send(world, world.rank(), 1, two);
  EXPECT_THROW(receive(world, blocking, world.rank(), 1, one), error);
  EXPECT_EQ(one, 7);
  going.wait();
}

JOB_TEST(messages_typed, wait_all_takes_what_can_be_waited_for) {
  const team world = here.world();
  const int ranks = world.size();
  const int me = world.rank();
  std::vector<int> from(static_cast<std::size_t>(ranks), -1);
  std::vector<matching::receiving> coming;
  std::vector<request> going;
  for (int r = 0; r < ranks; ++r) {
    coming.push_back(receive(world, r, 9, from[static_cast<std::size_t>(r)]));
  }
  for (int r = 0; r < ranks; ++r) going.push_back(send(world, r, 9, me));
  std::vector<int> all(static_cast<std::size_t>(ranks));
  const int mine[] = {me};
  wait_all(coming, barrier(world), std::span(going), all_gather(world, mine, all));
  EXPECT_EQ(from, all);
  for (const request& each : going) EXPECT_TRUE(each.done());
  wait_all();
  wait_all(going);
}
