// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a hanging job says of tagged messages: source and tag, and what is posted and kept.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/core/detail/hang_watch.hpp"
#include "upwash/core/host.hpp"
#include "upwash/matching/messages.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

std::vector<std::unique_ptr<conduit::world>> worlds_of(int ranks) {
  std::vector<std::unique_ptr<conduit::world>> all;
  all.push_back(test::loopback_of(ranks));
  all.push_back(test::sim_of(ranks));
  return all;
}

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
}

}  // namespace

TEST(hang_reports, a_receive_names_its_source_in_the_world_and_its_tag) {
  for (const auto& world : worlds_of(3)) {
    const std::string said = test::message_of(*world, [](job& here) {
      if (here.rank() == 1) return;
      const team pair = here.world().subset(std::array{2, 0});
      if (here.rank() == 2) return;
      std::array<std::byte, 24> into{};
      m::receive(pair, 0, 9, into).wait();
    });
    const std::string place = fmt::format("hang_reports_test.cpp:{}", __LINE__ - 2);
    expect_says(said, "\n  0     waits in receive at " + place + "  2     9    ");
    expect_says(said, "\n      pending at rank 0: 1 receives posted, 0 messages not received");
    expect_says(said, "conclusion: rank 0 waits in receive for rank 2, which waits in finish");
  }
}

TEST(hang_reports, a_receive_from_anybody_names_nobody) {
  for (const auto& world : worlds_of(2)) {
    const std::string said = test::message_of(*world, [](job& here) {
      std::array<std::byte, 24> into{};
      if (here.rank() == 0) m::receive(here.world(), m::any_source, 9, into).wait();
    });
    const std::string place = fmt::format("hang_reports_test.cpp:{}", __LINE__ - 2);
    expect_says(said, "\n  0     waits in receive at " + place + "  -     9    ");
  }
}

TEST(hang_reports, a_receive_of_anything_names_its_team) {
  for (const auto& world : worlds_of(2)) {
    const std::string said = test::message_of(*world, [](job& here) {
      std::array<std::byte, 24> into{};
      if (here.rank() == 0) m::receive(here.world(), m::any_source, m::any_tag, into).wait();
    });
    const std::string place = fmt::format("hang_reports_test.cpp:{}", __LINE__ - 2);
    expect_says(said, "\n  0     waits in receive at " + place + "  -     -    the world  ");
  }
}

TEST(hang_reports, a_rank_that_waits_in_another_collective_is_told) {
  for (const auto& world : worlds_of(2)) {
    const std::string said = test::message_of(*world, [](job& here) {
      std::array<double, 1> mine{1}, result{};
      if (here.rank() == 0) {
        all_reduce<upwash::sum>(here.world(), mine, std::span(result)).wait();
      }
    });
    // The line where the call begins, whoever waits for its request.
    const std::string place = fmt::format("hang_reports_test.cpp:{}", __LINE__ - 4);
    expect_says(said, "\n  0     waits in all_reduce at " + place + "  ");
    expect_says(said, "rank 1 never called all_reduce #0 of the world; it waits in finish");
    expect_says(said, "pending at rank 0: all_reduce #0 on team 0x0");
  }
}

/// The line of a signal handler is made without the layers, and says it as well.
TEST(hang_reports, the_line_of_a_signal_names_source_and_tag) {
  std::string line;
  const auto world = test::loopback_of(2);
  const std::string said = test::message_of(*world, [&line](job& here) {
    if (here.rank() == 1) return;
    struct listener final : conduit::waiter {
      listener(job& of, std::string& text)
          : here(of), line(text), real(host(of).set_waiter(*this)) {}
      ~listener() { host(here).set_waiter(real); }
      void idle(int rank, const conduit::wait_target& target,
                const conduit::wait_reason& reason) override {
        std::array<char, 256> text{};
        line.assign(text.data(), detail::describe_wait(&here, text.data(), text.size()));
        real.idle(rank, target, reason);
      }
      void yield(int rank) override { real.yield(rank); }
      job& here;
      std::string& line;
      conduit::waiter& real;
    } const listening(here, line);
    std::array<std::byte, 24> into{};
    m::receive(here.world(), 1, 9, into).wait();
  });
  const std::string place = fmt::format("hang_reports_test.cpp:{}", __LINE__ - 2);
  expect_says(line, "upwash: rank 0 of 2 waits in receive at " + place +
                        " (peer 1, tag 9, 24 bytes, team 0x0, ");
}

/// What blocks names the line of its call.
TEST(hang_reports, calls_name_the_line_that_blocks) {
  for (const auto& world : worlds_of(2)) {
    std::string place;
    const std::string said = test::message_of(*world, [&place](job& here) {
      std::array<double, 1> mine{1}, result{};
      if (here.rank() == 1) return;
      place = fmt::format("hang_reports_test.cpp:{}", __LINE__ + 1);
      all_reduce<upwash::sum>(here.world(), blocking, mine, std::span(result));
    });
    expect_says(said, "\n  0     waits in all_reduce at " + place + "  ");
  }
  for (const auto& world : worlds_of(2)) {
    std::string place;
    const std::string said = test::message_of(*world, [&place](job& here) {
      region area = allocate(here.world(), 8);
      if (here.rank() == 1) return;
      place = fmt::format("hang_reports_test.cpp:{}", __LINE__ + 1);
      wait_until(here, area.mine_as<std::uint64_t>()[0], comparison::equal, 1);
    });
    expect_says(said, "\n  0     waits in wait_until at " + place + "  ");
  }
  for (const auto& world : worlds_of(2)) {
    std::string place;
    const std::string said = test::message_of(*world, [&place](job& here) {
      std::array<std::byte, 24> into{};
      if (here.rank() == 1) return;
      place = fmt::format("hang_reports_test.cpp:{}", __LINE__ + 1);
      receive(here.world(), blocking, 1, 9, into);
    });
    expect_says(said, "\n  0     waits in receive at " + place + "  ");
  }
}
