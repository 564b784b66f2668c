// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Peers give back names of sends and steps that are under way here: one that was made up, or comes
// a second time, is an error that names the rank, and no address to follow.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/core/detail/memory_line.hpp"
#include "upwash/core/host.hpp"
#include "upwash/matching/detail/handlers.hpp"
#include "upwash/matching/messages.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

/// What a job of two says in which rank 1 sends rank 0 a message with that name in it.
template <auto Handler>
std::string said_of(std::uint64_t name) {
  const auto world = test::sim_of(2);
  return test::message_of(*world, [name](job& here) {
    if (here.rank() == 1) send<Handler>(here, 0, name);
    control::barrier(here.world());
  });
}

void expect_says(const std::string& text, const char* part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

}  // namespace

TEST(damaged_names, of_a_send_are_refused) {
  for (const std::uint64_t name :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xdeadbeef00}}) {
    const std::string said = said_of<&m::detail::handle_received>(name);
    expect_says(said, "rank 0: rank 1 says that message 0x");
    expect_says(said, "was received, which is not under way here");
  }
  expect_says(
      said_of<&m::detail::handle_taken>(77),
      "rank 0: rank 1 says that message 0x4d was taken from this rank's list, which is not");
}

TEST(damaged_names, of_room_that_was_not_taken_are_refused) {
  expect_says(said_of<&m::detail::handle_room>(1000),
              "rank 0: rank 1 gives back room for 1000 bytes, where it has 0 of this rank's");
}

TEST(damaged_names, of_steps_are_refused) {
  namespace c = upwash::collective::detail;
  for (const std::uint64_t name :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xdeadbeef00}}) {
    const char* const expected = " of a collective, which is not under way here";
    expect_says(said_of<&c::handle_taken>(name), expected);
    expect_says(said_of<&c::handle_reached>(name), expected);
    expect_says(said_of<&c::handle_taken>(name), "rank 0: rank 1 tells of step 0x");
  }
}

/// The name was good: but another rank has it.
TEST(damaged_names, of_a_send_to_another_rank_are_refused) {
  const auto world = test::sim_of(3);
  const std::string said = test::message_of(*world, [](job& here) {
    std::array<std::byte, 8> bytes{};
    const team all = here.world();
    request going;
    if (here.rank() == 0) going = m::send(all, 1, 5, bytes, m::mode::synchronous);
    control::barrier(all);
    if (here.rank() == 2) send<&m::detail::handle_received>(here, 0, std::uint64_t{1});
    control::barrier(all);
    if (here.rank() == 1) m::receive(all, 0, 5, bytes).wait();
    going.wait();
  });
  expect_says(said, "rank 0: rank 2 says that message 0x1 was received, which goes to rank 1");
}

/// Each is told once: the second time the name is nobody's.
TEST(damaged_names, that_come_twice_are_refused) {
  const auto world = test::sim_of(2);
  const std::string said = test::message_of(*world, [](job& here) {
    std::array<std::byte, 8> bytes{};
    const team all = here.world();
    request going;
    if (here.rank() == 0) going = m::send(all, 1, 5, bytes, m::mode::synchronous);
    control::barrier(all);
    if (here.rank() == 1) {
      m::receive(all, 0, 5, bytes).wait();
      send<&m::detail::handle_received>(here, 0, std::uint64_t{1});
    }
    control::barrier(all);
    going.wait();
  });
  expect_says(said,
              "rank 0: rank 1 says that message 0x1 was received, which is not under way here");
}

/// Of a put, get or atomic by message, or of a handler of a layer.
TEST(damaged_names, of_memory_operations_are_refused) {
  using upwash::detail::memory_code;
  for (const memory_code code :
       {memory_code::acknowledge, memory_code::data, memory_code::old_value, memory_code::answer}) {
    const auto world = test::sim_of(2);
    const std::string said = test::message_of(*world, [code](job& here) {
      if (here.rank() == 1) {
        const std::array<std::uint64_t, 3> line{0x4d, 0, 0};
        conduit::message m;
        m.handler = {static_cast<std::uint32_t>(code), conduit::core_module};
        m.kind = conduit::lane::memory;
        m.source = 1;
        m.arguments = std::as_bytes(std::span(line));
        EXPECT_EQ(host(here).endpoint().send(m, true).what, conduit::outcome::done);
      }
      control::barrier(here.world());
    });
    expect_says(said, "rank 0: rank 1 answers memory operation 0x4d, which is not under way there");
  }
}
