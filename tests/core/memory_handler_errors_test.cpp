// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is wrong with handlers of the memory lane, or calls of them, is an error that says so.
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/core/memory_handler.hpp"

namespace {

using namespace upwash;

// y += scale * x
void accumulate(memory_call& call, double scale) {
  const std::size_t count = call.payload().size() / sizeof(double);
  const std::span<double> y = call.values<double>(0, count);
  for (std::size_t i = 0; i < count; ++i) {
    double x = 0;
    std::memcpy(&x, call.payload().data() + i * sizeof x, sizeof x);
    y[i] += scale * x;
  }
  call.charge(conduit::cost::reduce, call.payload().size());
}

/// Answers with 16 bytes, whatever the room.
void answer_much(memory_call& call) {
  call.answer(std::as_bytes(std::span<const char>("0123456789abcde")));
}
void throws(memory_call& /*call*/) { throw error(error_kind::argument, "no such thing"); }
void of_two(memory_call& /*call*/, int /*a*/, int /*b*/) {}

std::string said_by(function_ref<void(job&, const region&)> body) {
  const auto world = test::sim_of(2);
  return test::message_of(*world, [&](job& here) {
    region area = allocate(here.world(), 64);
    body(here, area);
    control::barrier(here.world());
    free(area);
  });
}

}  // namespace

TEST(memory_handler, one_that_is_not_registered_is_an_error) {
  const std::string said = said_by([](job& here, const region& area) {
    if (here.rank() != 1) return control::barrier(here.world());
    const auto acc = add_memory_handler<&accumulate>(here, "test.accumulate");
    call_owner(here, acc, area.at<double>(0), {}, 1.0).wait();
    control::barrier(here.world());
  });
  EXPECT_NE(said.find("rank 0: rank 1 calls memory handler 0x"), std::string::npos) << said;
  EXPECT_NE(said.find("register it at all ranks before any of them calls it"), std::string::npos);
}

TEST(memory_handler, other_arguments_under_a_name_are_an_error) {
  const std::string said = said_by([](job& here, const region& area) {
    if (here.rank() == 0) static_cast<void>(add_memory_handler<&of_two>(here, "test.x"));
    if (here.rank() == 1) {
      const auto acc = add_memory_handler<&throws>(here, "test.x");
      control::barrier(here.world());
      call_owner(here, acc, area.at<double>(0), {}).wait();
    } else {
      control::barrier(here.world());
    }
  });
  EXPECT_EQ(said,
            "rank 0: rank 1 calls memory handler test.x with a line of 24 bytes, it takes 32; "
            "register the same handler under a name at all ranks");
}

TEST(memory_handler, a_name_stands_for_one_handler) {
  const std::string said = said_by([](job& here, const region& /*area*/) {
    const auto first = add_memory_handler<&of_two>(here, "test.x");
    EXPECT_EQ(add_memory_handler<&of_two>(here, "test.x").number, first.number);
    static_cast<void>(add_memory_handler<&throws>(here, "test.x"));
  });
  EXPECT_NE(said.find("memory handlers test.x and test.x have the same number 0x"),
            std::string::npos)
      << said;
}

TEST(memory_handler, what_leaves_the_region_is_an_error) {
  const auto outside = [](std::uint64_t place, double first) {
    return said_by([&](job& here, const region& area) {
      const auto acc = add_memory_handler<&accumulate>(here, "test.accumulate");
      control::barrier(here.world());
      const std::array<double, 2> x{first, 2};
      const global_ptr<std::byte> to = area.at(0, place);
      if (here.rank() == 1) {
        call_owner(here, acc, to, {.payload = std::as_bytes(std::span(x))}, 1.0).wait();
      }
    });
  };
  EXPECT_EQ(outside(56, 1),
            "rank 0: memory handler test.accumulate for rank 1 threw: 16 bytes at offset 56 leave "
            "the 64 bytes of rank 0");
  EXPECT_EQ(outside(4, 1),
            "rank 0: memory handler test.accumulate for rank 1 threw: offset 4 of rank 0 is not "
            "aligned to 8 bytes");
  EXPECT_NE(outside(65, 1).find("rank 1: 0 bytes at offset 65 of rank 0 leave the region"),
            std::string::npos)
      << outside(65, 1);
}

TEST(memory_handler, answers_beyond_their_room_are_an_error) {
  const std::string said = said_by([](job& here, const region& area) {
    const auto much = add_memory_handler<&answer_much>(here, "test.much");
    control::barrier(here.world());
    std::array<std::byte, 15> room{};
    if (here.rank() == 1) call_owner(here, much, area.at(0), {.answer = room}).wait();
  });
  EXPECT_EQ(said,
            "rank 1: memory handler test.much at rank 0 answers with 16 bytes, and there is room "
            "for 15; give the call room for all that its handler answers");
}

TEST(memory_handler, one_that_throws_ends_the_job) {
  EXPECT_EQ(said_by([](job& here, const region& area) {
              const auto bad = add_memory_handler<&throws>(here, "test.throws");
              control::barrier(here.world());
              if (here.rank() == 1) call_owner(here, bad, area.at(0), {}).wait();
            }),
            "rank 0: memory handler test.throws for rank 1 threw: no such thing");
}

TEST(memory_handler, payloads_above_the_medium_size_are_refused) {
  const std::string said = said_by([](job& here, const region& area) {
    const auto acc = add_memory_handler<&accumulate>(here, "test.accumulate");
    const std::vector<std::byte> large(medium_limit(here, 0) + 1);
    static_cast<void>(call_owner(here, acc, area.at(0), {.payload = large}, 1.0));
  });
  EXPECT_NE(said.find("bytes of payload for rank 0; one piece holds at most"), std::string::npos)
      << said;
}
