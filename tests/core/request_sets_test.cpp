// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Some of several requests, random, against a list of what was completed; requests that let their
// operations go.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/detail/job_state.hpp"

namespace {

using namespace upwash;

constexpr conduit::wait_reason reason{.operation = "test"};

/// Operations that the test itself completes, and what is to be reported.
struct play {
  explicit play(job& home, std::uint64_t seed) : here(home), draw(seed, 77) {}

  void begin() {
    auto made = begin_operation(here, reason);
    const auto at = static_cast<std::size_t>(draw.below(handles.size()));
    if (!handles[at].empty()) {
      made.end.complete();  // the place is taken: this one ends as it came
      return;
    }
    handles[at] = std::move(made.handle);
    ends[at] = made.end;
    open.insert(at);
  }
  void complete_one() {
    if (open.empty()) return;
    const auto which =
        std::next(open.begin(), static_cast<std::ptrdiff_t>(draw.below(open.size())));
    ends[*which].complete();
    complete.insert(*which);
    open.erase(which);
  }
  void reported(std::size_t at) {
    EXPECT_EQ(complete.erase(at), 1U) << at;
    EXPECT_TRUE(handles[at].empty());
  }
  void reported_any(std::optional<std::size_t> said) {
    if (open.empty() && complete.empty()) {
      EXPECT_EQ(said, no_request);
    } else if (complete.empty()) {
      EXPECT_EQ(said, std::nullopt);
    } else {
      ASSERT_TRUE(said.has_value());
      EXPECT_EQ(*said, *complete.begin());
      reported(*said);
    }
  }
  void reported_some(std::optional<std::size_t> said, std::span<const std::size_t> indices) {
    if (open.empty() && complete.empty()) {
      EXPECT_EQ(said, no_request);
    } else if (complete.empty()) {
      EXPECT_EQ(said, std::nullopt);
    } else {
      ASSERT_EQ(said, complete.size());
      const std::set<std::size_t> all = complete;
      EXPECT_TRUE(std::equal(all.begin(), all.end(), indices.begin()));
      for (const std::size_t each : all) reported(each);
    }
  }
  void step();

  job& here;
  random_stream draw;
  std::array<request, 9> handles;
  std::array<completer, 9> ends;
  std::set<std::size_t> open;
  std::set<std::size_t> complete;
};

struct playing final : service_base {
  explicit playing(job& /*here*/) {}
  play* now = nullptr;
};
void complete_later(incoming& in) { in.here().service<playing>().now->complete_one(); }

void play::step() {
  std::array<std::size_t, 9> indices{};
  switch (draw.below(7)) {
    case 0:
    case 1: return begin();
    case 2: return complete_one();
    case 3: return reported_any(test_any(handles));
    case 4: return reported_some(test_some(handles, indices), indices);
    default: break;
  }
  // A wait ends by a message of this rank to itself, where nothing is complete.
  if (complete.empty() && !open.empty()) send<&complete_later>(here, here.rank());
  if (draw.below(2) == 0) {
    reported_any(wait_any(handles));
  } else {
    const std::size_t said = wait_some(handles, indices);
    reported_some(said, indices);
  }
}

struct late_end final : service_base {
  explicit late_end(job& /*here*/) {}
  completer end;
  bool ended = false;
};
void end_it(incoming& in) {
  auto& mine = in.here().service<late_end>();
  mine.ended = true;
  mine.end.complete();
}

}  // namespace

JOB_TEST(request_sets, each_is_reported_once, .most_ranks = 5) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    play game(here, seed * 100 + static_cast<std::uint64_t>(here.rank()));
    here.service<playing>().now = &game;
    for (int n = 0; n < 300 && !testing::Test::HasFailure(); ++n) game.step();
    while (!game.open.empty()) game.complete_one();
    control::barrier(here.world());
  }
}

JOB_TEST(request_sets, of_transfers_all_come, .most_ranks = 7) {
  constexpr std::size_t count = 50;
  region area = allocate(here.world(), count * 8);
  for (std::size_t i = 0; i < count; ++i) {
    area.mine_as<std::uint64_t>()[i] = static_cast<std::uint64_t>(here.rank()) * 1000 + i;
  }
  control::barrier(here.world());
  std::array<std::uint64_t, count> got{};
  std::vector<request> open;
  std::size_t left = 0;
  const int from = (here.rank() + 1) % here.size();
  for (std::size_t i = 0; i < count; ++i) {
    open.push_back(get(here, area.at<std::uint64_t>(from, i), std::span(got).subspan(i, 1)));
    if (!open.back().empty()) ++left;
  }
  std::vector<std::size_t> indices(count);
  while (left != 0) {
    const std::size_t some = wait_some(open, indices);
    ASSERT_LE(some, left);
    left -= some;
  }
  EXPECT_EQ(wait_some(open, indices), no_request);
  EXPECT_EQ(wait_any(open), no_request);
  EXPECT_EQ(test_any({}), no_request);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(got[i], static_cast<std::uint64_t>(from) * 1000 + i);
  }
  control::barrier(here.world());
  free(area);
}

JOB_TEST(request_sets, quiet_waits_for_detached_ones, .most_ranks = 5) {
  auto& late = here.service<late_end>();
  auto begun = begin_operation(here, reason);
  late.end = begun.end;
  begun.handle.detach();
  EXPECT_TRUE(begun.handle.empty());
  begun.handle = {};  // does not wait
  EXPECT_FALSE(late.ended);
  send<&end_it>(here, here.rank());
  here.quiet();
  EXPECT_TRUE(late.ended);
  request().detach();

  region area = allocate(here.world(), 4096 * 8);
  control::barrier(here.world());
  const int to = (here.rank() + 1) % here.size();
  std::vector<std::uint64_t> words(4096);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i * 3 + 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    put(here, area.at<std::uint64_t>(to, i), std::span(words).subspan(i, 1)).detach();
  }
  here.quiet();
  EXPECT_TRUE(detail::job_access::state(here).detached.none());
  control::barrier(here.world());
  EXPECT_TRUE(std::ranges::equal(area.mine_as<std::uint64_t>(), words));
  control::barrier(here.world());
  free(area);
}

TEST(request_sets, what_a_detached_one_stood_for_may_fail) {
  for (const auto& world : {test::loopback_of(2), test::sim_of(2)}) {
    const std::string said = test::message_of(*world, [](job& here) {
      region area = allocate(here.world(), here.rank() == 1 ? 8 : 64);
      const std::vector<std::byte> data(64);
      if (here.rank() == 0) {
        put(here, area.at(1), data).detach();  // too long for rank 1's part
        here.quiet();
      }
      control::barrier(here.world());
    });
    EXPECT_NE(said.find("leave the 8 bytes that rank 1 has in this region"), std::string::npos)
        << said;
  }
}

TEST(request_sets, room_for_all_indices_is_wanted) {
  const auto world = test::sim_of(1);
  EXPECT_EQ(test::message_of(*world,
                             [](job& /*here*/) {
                               std::array<request, 3> open;
                               std::array<std::size_t, 2> indices{};
                               static_cast<void>(test_some(open, indices));
                             }),
            "test_some of 3 requests with room for 2 indices; give room for all");
}
