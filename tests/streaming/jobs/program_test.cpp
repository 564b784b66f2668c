// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs on streams against an oracle: items of all sizes that travel on after they
// arrived, urgent ones among them, on grids that change while they are under way. What an item
// holds follows from its number, so that receivers know what must come.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/streaming/detail/service.hpp"
#include "upwash/streaming/stream.hpp"

namespace {

using namespace upwash;
using bytes_view = std::span<const std::byte>;

struct head {
  std::uint64_t number;  ///< of the item, in the whole program
  std::uint32_t bytes;
  std::uint32_t hops;  ///< still to go after it arrives
};

/// Where an item goes with so many hops left.
int stop_of(std::uint64_t number, std::uint32_t hops, int ranks) {
  return static_cast<int>(random_stream(number, hops).below(static_cast<std::uint64_t>(ranks)));
}

std::vector<std::byte> item_of(const head& with) {
  std::vector<std::byte> all(with.bytes);
  std::memcpy(all.data(), &with, sizeof with);
  for (std::size_t i = sizeof with; i < all.size(); ++i) {
    all[i] = static_cast<std::byte>((with.number * 31 + i) & 0xffU);
  }
  return all;
}

head drawn(std::uint64_t number, std::size_t most) {
  random_stream random(number, 1000);
  const bool large = random.below(30) == 0;
  const auto bytes = sizeof(head) + random.below(large ? most : 120);
  return {number, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(random.below(3))};
}

streaming::parameters other_parameters(random_stream& random) {
  return {.dimensions = 1 + static_cast<int>(random.below(4)),
          .effective_bytes = 1 + random.below(1500),
          .cutoff_bytes = random.below(700),
          .timeout = duration::from_us(static_cast<double>(random.below(2) * 5))};
}

struct program {
  std::uint64_t seed = 0;
  int dimensions = 1;
  int items = 40;  ///< of each rank
  std::size_t most_bytes = 6000;
  bool changes = true;
  bool shared = false;  ///< buffers of nodes
};

/// Runs it; expects each item to have gone all its way once, whole.
void run_program(job& here, const program& what) {
  const team world = here.world();
  const int ranks = world.size();
  const auto count = static_cast<std::uint64_t>(what.items);
  std::vector<std::uint64_t> ended;
  std::uint64_t wrong = 0;
  streaming::engine* out = nullptr;
  auto items = open_stream<bytes_view>(
      world,
      [&](const bytes_view& one) {
        head with{};
        std::memcpy(&with, one.data(), sizeof with);
        const auto expected = item_of(with);
        wrong += stop_of(with.number, with.hops, ranks) != world.rank() ? 1U : 0U;
        wrong += !std::equal(one.begin(), one.end(), expected.begin(), expected.end()) ? 1U : 0U;
        if (with.hops == 0) return ended.push_back(with.number);
        --with.hops;
        out->push(stop_of(with.number, with.hops, ranks), item_of(with));
      },
      {.dimensions = what.dimensions, .buffer_bytes = 2000, .shared_buffers = what.shared});
  out = &items.engine();
  control::barrier(world);
  random_stream random(what.seed, static_cast<std::uint64_t>(world.rank()));
  const std::uint64_t first =
      what.seed * 1000000 + static_cast<std::uint64_t>(world.rank()) * count;
  for (std::uint64_t number = first; number < first + count; ++number) {
    const head with = drawn(number, what.most_bytes);
    const int to = stop_of(number, with.hops, ranks);
    if (random.below(20) == 0) {
      items.push_urgent(to, item_of(with));
    } else {
      items.push(to, item_of(with));
    }
    if (what.changes && random.below(15) == 0) out->set_parameters(other_parameters(random));
    if (what.changes && random.below(15) == 0) out->go_directly(to, random.below(2) == 0);
    if (random.below(10) == 0) here.progress();
  }
  items.finish();
  std::vector<std::uint64_t> expected;
  for (std::uint64_t number = what.seed * 1000000;
       number < what.seed * 1000000 + count * static_cast<std::uint64_t>(ranks); ++number) {
    if (stop_of(number, 0, ranks) == world.rank()) expected.push_back(number);
  }
  std::sort(ended.begin(), ended.end());
  EXPECT_EQ(ended, expected);
  EXPECT_EQ(wrong, 0U);
  const stream_statistics seen = items.statistics();
  EXPECT_EQ(seen.messages, seen.full + seen.threshold + seen.idle + seen.asked + seen.timed_out +
                               seen.uncombined + seen.urgent + seen.fetched);
  items.close();
}

}  // namespace

JOB_TEST(stream_program, goes_its_way_on_every_grid, .most_ranks = 33) {
  for (const int dimensions : {1, 2, 3, 4}) {
    SCOPED_TRACE(std::to_string(dimensions) + " dimensions");
    run_program(here, {.seed = static_cast<std::uint64_t>(dimensions),
                       .dimensions = dimensions,
                       .changes = false});
  }
}

JOB_TEST(stream_program, goes_its_way_while_grids_change, .most_ranks = 33) {
  for (std::uint64_t seed = 11; seed < 14; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run_program(here, {.seed = seed, .dimensions = static_cast<int>(seed % 3) + 1, .items = 60});
  }
}

JOB_TEST(stream, brings_items_of_1_byte_to_1_MiB_whole, .most_ranks = 5) {
  const team world = here.world();
  const int next = (world.rank() + 1) % world.size();
  for (const bool ordered : {false, true}) {
    std::vector<std::size_t> got;
    std::uint64_t wrong = 0;
    auto items = open_stream<bytes_view>(
        world,
        [&](const bytes_view& one) {
          got.push_back(one.size());
          for (std::size_t i = 0; i < one.size(); ++i) {
            wrong += one[i] != static_cast<std::byte>((one.size() + i) & 0xffU) ? 1U : 0U;
          }
        },
        {.dimensions = 2, .buffer_bytes = 16384, .ordered = ordered});
    std::vector<std::size_t> sizes;
    for (std::size_t power = 1; power <= (std::size_t{1} << 20U); power *= 4) {
      for (const std::size_t bytes : {power, power + 1, power * 2 - 1}) sizes.push_back(bytes);
    }
    for (const std::size_t each : {16375U, 16376U, 16377U, 16384U, 16385U}) sizes.push_back(each);
    for (const std::size_t bytes : sizes) {
      std::vector<std::byte> one(bytes);
      for (std::size_t i = 0; i < bytes; ++i) one[i] = static_cast<std::byte>((bytes + i) & 0xffU);
      items.push(next, one);
    }
    items.finish();
    if (!ordered) std::sort(got.begin(), got.end());
    if (!ordered) std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(got, sizes);
    EXPECT_EQ(wrong, 0U);
  }
}

JOB_TEST(stream, fetches_large_items_of_handlers_as_it_has_room, .most_ranks = 4) {
  const team world = here.world();
  using streaming::large_batches;
  constexpr std::size_t bytes = 1000'000;
  constexpr std::uint64_t each = 12;
  std::uint64_t came = 0;
  const std::vector<std::byte> large(bytes);
  auto items = open_stream<bytes_view>(world, [&](auto& self, const bytes_view& one) {
    if (one.size() == bytes) {
      ++came;
    } else {
      self.push(0, large);
    }
  });
  for (std::uint64_t i = 0; i < each; ++i) items.push(world.rank(), bytes_view(large).first(1));
  items.finish();
  EXPECT_EQ(came, world.rank() == 0 ? each * static_cast<std::uint64_t>(world.size()) : 0U);
  const large_batches& kept = here.service<streaming::service>().large();
  EXPECT_LE(kept.most_fetching(), large_batches::most_fetched);
  EXPECT_EQ(kept.pending(), 0U);
  const bool by_ticket = world.rank() != 0 && medium_limit(here) < bytes;
  EXPECT_EQ(items.statistics().fetched, by_ticket ? each : 0U);
}

// Of 700 handlers that each push a large item less than half run before others take these, once the
// stream has seen that they push such.
JOB_TEST(stream, hands_over_no_faster_than_others_take_what_handlers_push, .least_ranks = 2,
         .most_ranks = 2) {
  const team world = here.world();
  constexpr std::uint64_t each = 700;
  const auto& kept = here.service<streaming::service>().large();
  for (const std::size_t bytes : {12'000, 270'000}) {
    const std::vector<std::byte> large(bytes);
    std::uint64_t came = 0;
    std::size_t most_offered = 0;
    std::size_t most_deferred = 0;
    auto items = open_stream<bytes_view>(
        world, [&](const bytes_view& one) { came += one.size() == bytes ? 1U : 0U; });
    auto wishes = open_stream<std::uint32_t>(world, [&](const std::uint32_t&) {
      items.push(0, large);
      most_offered = std::max(most_offered, kept.offered_bytes());
      most_deferred = std::max(most_deferred, host(here).deferred());
    });
    const auto ask = [&] {
      for (std::uint64_t i = 0; i < each && world.rank() == 0; ++i) wishes.push(1, 0);
      wishes.finish();
      items.finish();
    };
    ask();
    most_offered = most_deferred = 0;
    ask();
    EXPECT_EQ(came, world.rank() == 0 ? 2 * each : 0U);
    EXPECT_LT(most_offered, (std::size_t{8} << 20U) + each * bytes / 2);
    EXPECT_LT(most_deferred, each / 2);
  }
}

JOB_TEST(stream, lets_urgent_items_overtake, .most_ranks = 9) {
  const team world = here.world();
  const int next = (world.rank() + 1) % world.size();
  std::vector<int> got;
  auto items = open_stream<int>(world, [&](const int& one) { got.push_back(one); },
                                {.dimensions = 2, .flush_when_idle = false});
  for (int i = 0; i < 20; ++i) items.push(next, i);
  items.push_urgent(next, 99);
  while (got.empty()) here.progress();
  EXPECT_EQ(got, std::vector<int>{99});
  control::barrier(world);
  items.finish();
  EXPECT_EQ(got.size(), 21U);
  EXPECT_EQ(items.statistics().urgent, next == world.rank() ? 0U : 1U);
  items.close();
  auto ordered = open_stream<int>(world, [](const int&) {}, {.ordered = true});
  try {
    ordered.push_urgent(next, 1);
    ADD_FAILURE();
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("an urgent item for member"), std::string::npos);
  }
}

JOB_TEST(stream, does_not_nest_handlers_of_own_items, .most_ranks = 3) {
  const team world = here.world();
  std::uint64_t depth = 0;
  std::uint64_t deepest = 0;
  std::uint64_t handled = 0;
  streaming::engine* out = nullptr;
  auto items =
      open_stream<std::uint64_t>(world,
                                 [&](const std::uint64_t& left) {
                                   deepest = std::max(deepest, ++depth);
                                   ++handled;
                                   const std::uint64_t next = left - 1;
                                   if (left != 0)
                                     out->push(world.rank(), std::as_bytes(std::span(&next, 1)));
                                   --depth;
                                 },
                                 {.buffer_bytes = 16});
  out = &items.engine();
  control::barrier(world);
  constexpr std::uint64_t chain = 400;
  items.push(world.rank(), chain);
  items.push(world.rank(), chain);
  items.finish();
  EXPECT_EQ(handled, 2 * (chain + 1));
  EXPECT_EQ(deepest, 1U);
}

JOB_TEST(stream_program, goes_its_way_through_buffers_of_nodes, .least_ranks = 2, .most_ranks = 33,
         .environment = {"UPWASH_FAKE_NODES=2"}) {
  run_program(here, {.seed = 21, .items = 60, .changes = false, .shared = true});
  run_program(here, {.seed = 22, .items = 60, .shared = true});
}

JOB_TEST(stream, shares_buffers_on_a_node, .least_ranks = 4, .most_ranks = 7, .on_sim = false,
         .on_packets = false, .on_direct = false, .on_loopback = false,
         .environment = {"UPWASH_FAKE_NODES=2"}) {
  const team world = here.world();
  std::uint64_t got = 0;
  constexpr std::uint64_t each = 30000;
  auto words = open_stream<std::uint64_t>(world, [&](const std::uint64_t& one) { got += one; },
                                          {.buffer_bytes = 4096, .shared_buffers = true});
  for (std::uint64_t i = 0; i < each; ++i) {
    words.push(static_cast<int>(i % static_cast<std::uint64_t>(world.size())), 1);
  }
  words.finish();
  const stream_statistics seen = words.statistics();
  std::array<std::uint64_t, 3> all{got, seen.shared, seen.forwarded};
  control::all_reduce(world, all, control::fold::sum);
  EXPECT_EQ(all[0], each * static_cast<std::uint64_t>(world.size()));
  // Half of the items or so are for the other node. Those that find its buffers closed take others.
  EXPECT_GT(all[1], each / 10);
  EXPECT_GT(all[2], 0U);
  try {
    auto refused =
        open_stream<int>(world, [](const int&) {}, {.shared_buffers = true, .ordered = true});
    ADD_FAILURE();
  } catch (const error& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("buffers shared by a node"), std::string::npos);
  }
}

JOB_TEST(stream, sends_once_what_items_have_in_common, .most_ranks = 17) {
  struct phase {
    std::uint32_t from = 7;
    std::uint32_t number = 9;
  };
  const team world = here.world();
  const auto me = static_cast<std::uint32_t>(world.rank());
  // An item tells what should come with it.
  const auto item_with = [](const phase& with) { return with.from * 1000 + with.number; };
  for (const int dimensions : {1, 2, 3}) {
    std::uint64_t got = 0;
    std::uint64_t wrong = 0;
    auto items = open_stream_with<phase, std::uint32_t>(
        world,
        [&](const phase& with, std::span<const std::uint32_t> some) {
          got += some.size();
          for (const std::uint32_t one : some) wrong += one != item_with(with) ? 1U : 0U;
        },
        {.dimensions = dimensions, .buffer_bytes = 200});
    phase with;
    for (std::uint32_t i = 0; i < 300; ++i) {
      if (i % 50 == 20) items.set_common(with = {me, i / 50});
      items.push(static_cast<int>((i * 7 + me) % static_cast<std::uint32_t>(world.size())),
                 item_with(with));
      if (i % 60 == 30) items.push_urgent(world.rank(), item_with(with));
    }
    items.finish();
    EXPECT_EQ(wrong, 0U);
    std::array<std::uint64_t, 1> all{got};
    control::all_reduce(world, all, control::fold::sum);
    EXPECT_EQ(all[0], 305U * static_cast<std::uint64_t>(world.size()));
  }
}
