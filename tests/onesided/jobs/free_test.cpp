// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A region is not freed under transfers of several messages, and goes at once when they are
// complete, by whatever means.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/onesided/jobs/served_world.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/accumulate.hpp"
#include "upwash/onesided/aggregate.hpp"
#include "upwash/onesided/atomic_pair.hpp"
#include "upwash/onesided/fence.hpp"
#include "upwash/onesided/transfer.hpp"

namespace {

using namespace upwash;
using number = std::int64_t;

constexpr std::uint64_t numbers = 512;
constexpr transfer_options packed{.packed_below = ~std::size_t{0}};

/// Every other number of the target.
constexpr strided spread{sizeof(number), 1, {{{numbers / 2, sizeof(number), 2 * sizeof(number)}}}};
/// Every other one of this rank's, as they lie in `spread`.
constexpr strided gathered{
    sizeof(number), 1, {{{numbers / 2, 2 * sizeof(number), sizeof(number)}}}};

std::vector<segment> some_segments() {
  std::vector<segment> list;
  for (std::uint64_t i = 0; i < 40; ++i) {
    list.push_back({i * sizeof(number), (i * 11 + i % 3) * sizeof(number), sizeof(number)});
  }
  return list;
}

/// What a rank uses for transfers with a peer.
struct transfers {
  job& here;
  global_ptr<number> at;
  std::array<number, numbers> mine;
};

using beginning = request (*)(transfers& with);

/// Each with what it sends or fetches in messages until the peer's key is there.
constexpr std::array<beginning, 6> beginnings{
    [](transfers& with) {
      return put(with.here, with.at, std::span<const number>(with.mine), spread, packed);
    },
    [](transfers& with) {
      return put(with.here, with.at, std::span<const number>(with.mine), some_segments(), packed);
    },
    [](transfers& with) { return get(with.here, with.at, std::span(with.mine), gathered, packed); },
    [](transfers& with) {
      return accumulate(with.here, with.at, std::span<const number>(with.mine));
    },
    [](transfers& with) {
      return accumulate(with.here, with.at, std::span<const number>(with.mine), spread);
    },
    [](transfers& with) {
      aggregate puts(with.here, with.at.rank());
      for (std::uint64_t i = 0; i < 9; ++i) {
        puts.put(with.at + static_cast<std::ptrdiff_t>(3 * i), with.mine[i]);
      }
      return puts.flush();
    },
};

/// Returns the error of a free, or "freed".
std::string said_by_free(region& area) {
  try {
    free(area);
  } catch (const error& refused) {
    return refused.what();
  }
  return "freed";
}

void expect_refused(const job& here, region& area) {
  const std::regex wanted("rank " + std::to_string(here.rank()) +
                          ": free of a region on which this rank has operations under way \\(\\d+ "
                          "not told yet\\); wait for them, or for quiet, before");
  const std::string said = said_by_free(area);
  EXPECT_TRUE(std::regex_match(said, wanted)) << said;
}

void refuse_until_complete(job& here) {
  const int next = (here.rank() + 1) % here.size();
  for (std::size_t which = 0; which < beginnings.size(); ++which) {
    for (const bool quietly : {false, true}) {
      SCOPED_TRACE("beginning " + std::to_string(which));
      region area = allocate(here.world(), numbers * sizeof(number));
      transfers with{here, area.at<number>(next), {}};
      request open = beginnings.at(which)(with);
      expect_refused(here, area);
      if (quietly) {
        open.detach();
        here.quiet();
      } else {
        open.wait();
      }
      EXPECT_EQ(said_by_free(area), "freed");
    }
  }
}

/// The program waits for what its callback says, as for a request.
void refuse_until_called_back(job& here) {
  const int next = (here.rank() + 1) % here.size();
  region area = allocate(here.world(), sizeof(number));
  const number one = 1;
  bool called = false;
  put(here, area.at<number>(next), std::span(&one, 1),
      {.local = {},
       .remote = notice::call([](void* told) { *static_cast<bool*>(told) = true; }, &called)});
  expect_refused(here, area);
  while (!called) here.progress();
  EXPECT_EQ(said_by_free(area), "freed");
}

// -- What is complete ----------------------------------------------------------------------------

/// Of the rank whose handler runs.
struct long_messages final : service_base {
  explicit long_messages(job& /*here*/) {}
  int arrived = 0;
};

void note_arrival(incoming& in) noexcept { ++in.here().service<long_messages>().arrived; }

/// Begins something at random, and completes it by something that speaks for it.
void play(transfers& with, random_stream& draw) {
  job& here = with.here;
  const auto all = std::span<const number>(with.mine);
  const auto how = draw.below(6);
  if (how == 0) {
    put(here, with.at, all, spread, implicit, packed);
    accumulate(here, with.at, all, 3, implicit);
    get(here, with.at, std::span(with.mine), gathered, implicit, packed);
    here.quiet();
  } else if (how == 1) {
    put(here, with.at, all, some_segments(), implicit, packed);
    accumulate(here, with.at, all, spread, 2, implicit);
    here.quiet(with.at.rank());
  } else if (how == 2) {
    put(here, with.at, all, unacknowledged).wait();
    request open = accumulate(here, with.at, all);
    open.detach();
    fence(here, with.at.rank());
  } else if (how == 3) {
    accumulate(here, with.at, all, spread, 2, implicit);
    put(here, with.at, all, spread, implicit, packed);
    fence_all(here);
  } else if (how == 4) {
    struct pair {
      std::uint64_t first;
      std::uint64_t second;
    };
    static_cast<void>(atomic_load(here, global_ptr<pair>(with.at.as<pair>())));
  } else {
    beginnings.at(draw.below(beginnings.size()))(with).wait();
  }
}

/// Nothing lies between the last of it and the free, but that long messages have come: nobody tells
/// their senders.
void free_what_is_complete(job& here) {
  random_stream draw(11, static_cast<std::uint64_t>(here.rank()));
  int wanted = 0;
  for (int turn = 0; turn < 12; ++turn) {
    region area = allocate(here.world(), numbers * sizeof(number));
    const auto size = static_cast<std::uint64_t>(here.size());
    const auto rank_of = [&] { return static_cast<int>(draw.below(size)); };
    transfers with{here, area.at<number>(rank_of()), {}};
    for (auto times = draw.below(3); times != 0; --times) {
      play(with, draw);
      if (draw.below(2) == 0) with.at = area.at<number>(rank_of());
    }
    if (turn % 3 == 0) {
      const int next = (here.rank() + 1) % here.size();
      send_long<&note_arrival>(here, area.at(next), std::as_bytes(std::span(with.mine))).wait();
      ++wanted;
      while (here.service<long_messages>().arrived < wanted) here.progress();
    }
    ASSERT_EQ(said_by_free(area), "freed") << "turn " << turn;
  }
}

}  // namespace

JOB_TEST(free_region, is_refused_under_packed_transfers, .least_ranks = 2, .most_ranks = 5,
         .ordered_writes = false) {
  refuse_until_complete(here);
}

JOB_TEST(free_region, is_refused_before_a_callback, .least_ranks = 2, .most_ranks = 5) {
  refuse_until_called_back(here);
}

JOB_TEST(free_region, goes_when_all_is_complete, .most_ranks = 8, .ordered_writes = false) {
  free_what_is_complete(here);
}

TEST(free_region, where_puts_are_messages) {
  test::run_served(&free_what_is_complete, test::sanitized ? 5 : 40);
}
