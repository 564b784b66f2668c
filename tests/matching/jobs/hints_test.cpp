// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Promises about messages: those that are kept change nothing, those that are broken are errors.
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

using bytes = std::vector<std::byte>;

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

JOB_TEST(hints, that_are_broken_by_wild_receives_are_errors) {
  const team world = here.world();
  const team other = world.duplicate();
  m::promise(world, {.no_any_source = true});
  m::promise(other, {.no_any_tag = true});
  bytes into(8);
  const auto error_of = [&](const team& on, int source, int tag) {
    return message_of([&] { (void)m::receive(on, source, tag, into); });
  };
  const std::string rank = "rank " + std::to_string(here.rank());
  const std::string size = std::to_string(here.size());
  EXPECT_EQ(error_of(world, m::any_source, 4),
            rank + ": receive from -1 with tag 4: no_any_source is promised on this team of " +
                size + "; name what is wanted, or promise less");
  EXPECT_EQ(error_of(other, 0, m::any_tag),
            rank + ": receive from 0 with tag -1: no_any_tag is promised on this team of " + size +
                "; name what is wanted, or promise less");
  EXPECT_NE(message_of([&] { (void)m::probe(world, m::any_source, 4); }), "no error");
  EXPECT_NE(message_of([&] { (void)m::claim(other, 0, m::any_tag); }), "no error");
  // The other wild field is free.
  EXPECT_FALSE(m::probe(world, 0, m::any_tag).has_value());
  EXPECT_FALSE(m::probe(other, m::any_source, 4).has_value());
}

JOB_TEST(hints, of_exact_length_are_held_to, .least_ranks = 2) {
  const team world = here.world();
  m::promise(world, {.exact_length = true});
  for (const std::size_t size : {std::size_t{20}, std::size_t{40'000}}) {
    const bytes data(size, std::byte{1});
    if (here.rank() == 1) {
      for (int i = 0; i < 2; ++i) m::send(world, 0, 2, data, m::mode::synchronous).wait();
    }
    if (here.rank() != 0) continue;
    bytes larger(size + 1);
    m::receiving coming = m::receive(world, 1, 2, larger);
    EXPECT_EQ(message_of([&] { coming.wait(); }),
              "rank 0: receive of tag 2 from member 1: exact_length is promised on this team, but "
              "the message has " +
                  std::to_string(size) + " bytes, the buffer " + std::to_string(size + 1));
    EXPECT_TRUE(larger == bytes(size + 1));
    bytes exact(size);
    m::receive(world, 1, 2, exact).wait();
    EXPECT_TRUE(exact == data);
  }
}

JOB_TEST(hints, that_allow_overtaking_let_small_messages_pass_listed_ones, .least_ranks = 2,
         .alone = true) {
  const team world = here.world();
  const auto ranks = static_cast<std::size_t>(here.size());
  m::install(here,
             {.eager_bytes = 100, .unexpected_bytes = ranks * 1000, .unexpected_envelopes = 0});
  m::promise(world, {.allow_overtaking = true});
  control::barrier(world);
  const bytes large(1000, std::byte{1});
  if (here.rank() == 1) {
    request going = m::send(world, 0, 1, large);
    const bytes small(8);
    request passing = m::send(world, 0, 1, small);
    while (m::memory_of(here).queued != 0) here.progress();
    EXPECT_TRUE(passing.done());
    EXPECT_EQ(m::memory_of(here).listed_here, 1U);
    control::barrier(world);
    going.wait();
  } else {
    control::barrier(world);
  }
  if (here.rank() == 0) {
    std::size_t sum = 0;
    for (int i = 0; i < 2; ++i) {
      bytes into(1000);
      sum += m::receive(world, 1, 1, into).wait().bytes;
    }
    EXPECT_EQ(sum, 1008U);
  }
}
