// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams on every conduit against an oracle: items drawn from seeds that all members know, each
// handled once, at the right rank, in order where that was asked for.
#include "upwash/streaming/stream.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"

namespace {

using namespace upwash;

struct item {
  std::uint64_t value;
  std::uint32_t from;
  std::uint32_t number;
  friend auto operator<=>(const item&, const item&) = default;
};

/// (destination, item) that a rank pushes.
std::vector<std::pair<int, item>> drawn(int rank, int ranks, std::uint64_t seed, int most) {
  random_stream random(seed, static_cast<std::uint64_t>(rank));
  std::vector<std::pair<int, item>> all;
  const bool hot = random_stream(seed, 99).below(3) == 0;
  for (std::uint64_t left = random.below(static_cast<std::uint64_t>(most)); left > 0; --left) {
    const auto to = hot && random.below(4) != 0
                        ? 0
                        : static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    all.emplace_back(to, item{random.next(), static_cast<std::uint32_t>(rank),
                              static_cast<std::uint32_t>(all.size())});
  }
  return all;
}

/// What a rank must get, sorted.
std::vector<item> expected(int rank, int ranks, std::uint64_t seed, int most) {
  std::vector<item> all;
  for (int from = 0; from < ranks; ++from) {
    for (const auto& [to, one] : drawn(from, ranks, seed, most)) {
      if (to == rank) all.push_back(one);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

JOB_TEST(stream, brings_every_item_once, .most_ranks = 33) {
  const team world = here.world();
  for (const int dimensions : {0, 2, 3}) {
    for (const std::size_t buffer : {stream_options::automatic, std::size_t{40}}) {
      SCOPED_TRACE(std::to_string(dimensions) + " dimensions, buffers of " +
                   std::to_string(buffer));
      const std::uint64_t seed = 7 * (buffer % 100) + static_cast<std::uint64_t>(dimensions);
      std::vector<item> got;
      auto items = open_stream<item>(
          world, [&](const item& one) { got.push_back(one); },
          {.dimensions = dimensions, .buffer_bytes = buffer, .flush_when_idle = buffer == 40});
      for (const auto& [to, one] : drawn(world.rank(), world.size(), seed, 60)) {
        items.push(to, one);
      }
      items.finish();
      std::sort(got.begin(), got.end());
      EXPECT_EQ(got, expected(world.rank(), world.size(), seed, 60));
      const stream_statistics seen = items.statistics();
      EXPECT_EQ(seen.delivered, got.size());
      EXPECT_EQ(seen.full + seen.threshold + seen.idle + seen.asked + seen.timed_out +
                    seen.uncombined + seen.urgent,
                seen.messages);
    }
  }
}

JOB_TEST(stream, hands_over_batches, .most_ranks = 9) {
  const team world = here.world();
  std::uint64_t sum = 0;
  std::size_t calls = 0;
  auto words = open_stream<std::uint64_t>(world, [&](std::span<const std::uint64_t> some) {
    sum = std::accumulate(some.begin(), some.end(), sum);
    ++calls;
  });
  constexpr std::uint64_t each = 2000;
  for (std::uint64_t i = 0; i < each; ++i) {
    for (int to = 0; to < world.size(); ++to) words.push(to, i);
  }
  words.finish();
  EXPECT_EQ(sum, static_cast<std::uint64_t>(world.size()) * each * (each - 1) / 2);
  EXPECT_LT(calls, static_cast<std::size_t>(world.size()) * each / 2);
}

JOB_TEST(stream, lets_handlers_push, .most_ranks = 17) {
  // Each item splits until it has lived for some hops.
  const team world = here.world();
  struct seedling {
    std::uint32_t life;
    std::uint32_t at;
  };
  for (const int dimensions : {1, 2}) {
    std::uint64_t leaves = 0;
    stream_options with{.dimensions = dimensions, .buffer_bytes = 64};
    auto items = open_stream<seedling>(
        world,
        [&](auto& out, const seedling& one) {
          if (one.life == 0) {
            ++leaves;
            return;
          }
          for (std::uint32_t child = 1; child <= 2; ++child) {
            const seedling next{one.life - 1, one.at * 2 + child};
            out.push(static_cast<int>(next.at % static_cast<std::uint32_t>(world.size())), next);
          }
        },
        with);
    items.push((world.rank() + 1) % world.size(), {9, static_cast<std::uint32_t>(world.rank())});
    items.finish();
    std::array<std::uint64_t, 1> all{leaves};
    control::all_reduce(world, all, control::fold::sum);
    EXPECT_EQ(all[0], static_cast<std::uint64_t>(world.size()) << 9U);
  }
}

JOB_TEST(stream, takes_items_of_any_size, .most_ranks = 9) {
  const team world = here.world();
  using text = std::vector<std::string>;
  for (const int dimensions : {1, 2, 3}) {
    std::uint64_t bytes = 0;
    std::uint64_t wrong = 0;
    auto texts =
        open_stream<text>(world,
                          [&](const text& one) {
                            for (const std::string& each : one) {
                              bytes += each.size();
                              wrong += static_cast<std::uint64_t>(std::count_if(
                                  each.begin(), each.end(), [&](char c) { return c != each[0]; }));
                            }
                          },
                          {.dimensions = dimensions, .buffer_bytes = 1000});
    std::uint64_t pushed = 0;
    random_stream random(static_cast<std::uint64_t>(dimensions),
                         static_cast<std::uint64_t>(world.rank()));
    for (int i = 0; i < 60; ++i) {
      const std::size_t length = i % 20 == 0 ? random.below(200'000) : random.below(300);
      const text one{std::string(length, static_cast<char>('a' + i % 26)), "x"};
      pushed += length + 1;
      texts.push(static_cast<int>(random.below(static_cast<std::uint64_t>(world.size()))), one);
    }
    texts.finish();
    std::array<std::uint64_t, 2> all{pushed, bytes};
    control::all_reduce(world, all, control::fold::sum);
    EXPECT_EQ(all[0], all[1]);
    EXPECT_EQ(wrong, 0U);
  }
}

JOB_TEST(stream, keeps_the_order_of_a_pair_where_asked, .most_ranks = 17) {
  const team world = here.world();
  for (const int dimensions : {1, 2, 3}) {
    std::vector<std::uint32_t> next(static_cast<std::size_t>(world.size()), 0);
    std::uint64_t wrong = 0;
    using bytes = std::span<const std::byte>;
    auto ordered =
        open_stream<bytes>(world,
                           [&](const bytes& one) {
                             std::array<std::uint32_t, 2> head{};
                             std::memcpy(head.data(), one.data(), sizeof head);
                             wrong += next[head[0]]++ != head[1] ? 1U : 0U;
                           },
                           {.dimensions = dimensions, .buffer_bytes = 300, .ordered = true});
    random_stream random(5, static_cast<std::uint64_t>(world.rank()));
    std::vector<std::uint32_t> sent(static_cast<std::size_t>(world.size()), 0);
    for (int i = 0; i < 200; ++i) {
      const auto to = random.below(static_cast<std::uint64_t>(world.size()));
      std::vector<std::byte> one(8 +
                                 (random.below(7) == 0 ? random.below(3000) : random.below(20)));
      const std::array<std::uint32_t, 2> head{static_cast<std::uint32_t>(world.rank()), sent[to]++};
      std::memcpy(one.data(), head.data(), sizeof head);
      ordered.push(static_cast<int>(to), bytes(one));
    }
    ordered.finish();
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(ordered.statistics().delivered,
              std::accumulate(next.begin(), next.end(), std::uint64_t{0}));
  }
}

JOB_TEST(stream, takes_records_about_as_long_as_a_message, .most_ranks = 9) {
  // With what goes before it on its way such a record is longer than the least conduit's messages.
  struct record {
    std::array<std::uint64_t, 64> words;
  };
  const team world = here.world();
  for (const bool ordered : {false, true}) {
    std::uint64_t sum = 0;
    auto items =
        open_stream<record>(world, [&](const record& one) { sum += one.words[63]; },
                            {.dimensions = 2, .threshold = 0.1, .cutoff = 0.9, .ordered = ordered});
    for (std::uint64_t i = 1; i <= 20; ++i) {
      record one{};
      one.words[63] = i;
      for (int to = 0; to < world.size(); ++to) items.push(to, one);
    }
    items.finish();
    EXPECT_EQ(sum, 210 * static_cast<std::uint64_t>(world.size()));
  }
}

JOB_TEST(stream, must_be_closed_before_its_team_is_released, .most_ranks = 4) {
  team pair = here.world().duplicate();
  std::uint64_t came = 0;
  auto items = open_stream<int>(pair, [&](const int&) { ++came; });
  items.push(0, 1);
  try {
    pair.release();
    ADD_FAILURE();
  } catch (const error& failure) {
    EXPECT_NE(std::string(failure.what())
                  .find("cannot be released: the stream opened at "
                        "stream_test.cpp:"),
              std::string::npos)
        << failure.what();
  }
  // Nothing has been taken apart: what is made on the team now is apart from what there was.
  std::uint64_t more = 0;
  auto others = open_stream<int>(pair, [&](const int&) { ++more; });
  quiescence quiet(pair);
  others.push(0, 1);
  quiet.wait();
  others.finish();
  items.push(0, 1);
  others.close();
  items.close();
  const auto members = static_cast<std::uint64_t>(here.size());
  EXPECT_EQ(came, here.rank() == 0 ? 2 * members : 0);
  EXPECT_EQ(more, here.rank() == 0 ? members : 0);
  pair.release();
}

JOB_TEST(stream, says_what_is_wrong, .most_ranks = 4) {
  const team world = here.world();
  const auto ignore = [](const int&) {};
  const auto refused = [&](const stream_options& with, const char* what) {
    try {
      auto made = open_stream<int>(world, ignore, with);
      ADD_FAILURE() << what;
    } catch (const error& failure) {
      EXPECT_NE(std::string(failure.what()).find(what), std::string::npos) << failure.what();
    }
  };
  refused({.threshold = 0.9, .cutoff = 0.2}, "threshold 0.9 and cutoff 0.2");
  refused({.buffer_bytes = 0}, "buffers of 0 bytes");
  refused({.threshold = 0}, "threshold 0");
  refused({.timeout = duration::from_us(-1)}, "a timeout of -1 us");
  refused({.dimensions = 7}, "a stream of 7 dimensions");
  auto items = open_stream<int>(world, ignore);
  try {
    items.push(world.size(), 1);
    ADD_FAILURE();
  } catch (const error& failure) {
    EXPECT_NE(std::string(failure.what()).find("an item for member"), std::string::npos);
  }
  items.close();
  try {
    items.push(0, 1);
    ADD_FAILURE();
  } catch (const error& failure) {
    EXPECT_NE(std::string(failure.what()).find("after the stream was closed"), std::string::npos);
  }
}
