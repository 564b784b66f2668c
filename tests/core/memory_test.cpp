// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Regions, puts, gets, signals and exposed memory on every conduit.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/compare.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/harness/weak_world.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;

std::uint64_t stamp(int from, int to, std::uint64_t i) {
  return static_cast<std::uint64_t>(from) * 1'000'003 + static_cast<std::uint64_t>(to) * 997 + i;
}

/// `count` stamps, `stride` apart.
std::vector<std::uint64_t> stamps(int from, int to, std::size_t count, std::uint64_t first = 0,
                                  std::uint64_t stride = 1) {
  std::vector<std::uint64_t> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = stamp(from, to, first + i * stride);
  return made;
}

}  // namespace

JOB_TEST(memory, parts_of_many_peers_are_told_apart, .least_ranks = 70, .most_ranks = 70,
         .on_shm = false, .on_loopback = false) {
  region area = allocate(here.world(), sizeof(std::uint64_t));
  area.mine_as<std::uint64_t>()[0] = stamp(here.rank(), 0, 0);
  control::barrier(here.world());
  // Ascending and descending: none is missed while the table of parts grows, or later.
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < here.size(); ++i) {
      const int from = turn == 0 ? i : here.size() - 1 - i;
      std::uint64_t got = 0;
      get(here, area.at<std::uint64_t>(from), std::span(&got, 1)).wait();
      ASSERT_EQ(got, stamp(from, 0, 0));
    }
  }
  control::barrier(here.world());
  free(area);
}

JOB_TEST(memory, puts_reach_every_rank) {
  constexpr std::size_t block = 500;
  const auto size = static_cast<std::size_t>(here.size());
  region area = allocate(here.world(), size * block * sizeof(std::uint64_t));
  ASSERT_TRUE(
      std::ranges::all_of(area.mine_as<std::uint64_t>(), [](auto word) { return word == 0; }));
  control::barrier(here.world());
  std::vector<std::vector<std::uint64_t>> data(size);
  for (int to = 0; to < here.size(); ++to) {
    auto& mine = data[static_cast<std::size_t>(to)];
    mine = stamps(here.rank(), to, block);
    put(here, area.at<std::uint64_t>(to, static_cast<std::uint64_t>(here.rank()) * block), mine,
        implicit);
  }
  here.quiet();
  control::barrier(here.world());
  const auto mine = area.mine_as<std::uint64_t>();
  for (int from = 0; from < here.size(); ++from) {
    const auto part = mine.subspan(static_cast<std::size_t>(from) * block, block);
    ASSERT_EQ(test::first_difference(part, stamps(from, here.rank(), block)), block) << from;
  }
  free(area);
}

JOB_TEST(memory, gets_fetch_from_every_rank) {
  constexpr std::size_t count = 3001;
  region area = allocate(here.world(), count * 8);
  for (std::size_t i = 0; i < count; ++i)
    area.mine_as<std::uint64_t>()[i] = stamp(here.rank(), 0, i);
  control::barrier(here.world());
  for (int from = 0; from < here.size(); ++from) {
    std::vector<std::uint64_t> fetched(count - 7);
    request open = get(here, area.at<std::uint64_t>(from, 7), fetched);
    open.wait();
    ASSERT_EQ(test::first_difference(fetched, stamps(from, 0, count - 7, 7)), count - 7) << from;
    EXPECT_EQ(get_value(here, area.at<std::uint64_t>(from, 1)), stamp(from, 0, 1));
  }
  free(area);
}

JOB_TEST(memory, requests_complete_in_any_order) {
  region area = allocate(here.world(), 64 * 8);
  std::vector<std::uint64_t> values(64);
  std::iota(values.begin(), values.end(), 0);
  std::vector<request> open;
  const int to = (here.rank() + 1) % here.size();
  for (std::size_t i = 0; i < 64; ++i) {
    open.push_back(put(here, area.at<std::uint64_t>(to, i), std::span(values).subspan(i, 1)));
  }
  const std::size_t first = wait_any(open);
  for (std::size_t i = 0; i < open.size(); ++i) {
    EXPECT_TRUE(first == no_request ? open[i].empty() : i != first || open[i].empty());
  }
  wait_all(open);
  for (request& each : open) EXPECT_TRUE(each.test());
  control::barrier(here.world());
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(area.mine_as<std::uint64_t>()[i], i);
  free(area);
}

JOB_TEST(memory, both_stages_are_told_where_asked) {
  region area = allocate(here.world(), 4096);
  const std::vector<std::byte> data(4096, std::byte{9});
  const int to = here.size() - 1 - here.rank();
  request local;
  completion_counter remote;
  put(here, area.at(to), data, {.local = notice::to(local), .remote = notice::to(remote)});
  local.wait();
  remote.wait(here);
  EXPECT_TRUE(remote.done());
  int called = 0;
  const auto count_call = [](void* where) { ++*static_cast<int*>(where); };
  put(here, area.at(to), data, {.local = {}, .remote = notice::call(count_call, &called)});
  while (called == 0) here.progress();
  EXPECT_EQ(called, 1);
  control::barrier(here.world());
  EXPECT_EQ(area.mine()[4095], std::byte{9});
  free(area);
}

JOB_TEST(memory, signals_follow_their_data) {
  struct part {
    std::uint64_t arrived;
    std::array<std::uint64_t, 511> data;
  };
  region area = allocate(here.world(), sizeof(part));
  auto& mine = area.mine_as<part>()[0];
  const int to = (here.rank() + 1) % here.size();
  const int from = (here.rank() + here.size() - 1) % here.size();
  for (std::uint64_t round = 1; round <= 20; ++round) {
    const std::vector<std::uint64_t> data = stamps(here.rank(), 0, 511, 0, round);
    request open = put_signal(here, area.at<std::uint64_t>(to, 1), data,
                              {.word = area.at<std::uint64_t>(to), .add = 1});
    wait_until(here, mine.arrived, conduit::comparison::greater_equal, round);
    ASSERT_EQ(test::first_difference(mine.data, stamps(from, 0, 511, 0, round)), 511U)
        << "round " << round;
    open.wait();
    control::barrier(here.world());
  }
  request local_stage;
  completion_counter there;
  const std::array<std::uint64_t, 2> more{1, 2};
  put_signal(here, area.at<std::uint64_t>(to, 1), more, {.word = area.at<std::uint64_t>(to)},
             {.local = notice::to(local_stage), .remote = notice::to(there)});
  wait_until(here, mine.arrived, conduit::comparison::greater_equal, 21);
  EXPECT_EQ(mine.data[1], 2U);
  there.wait(here);
  free(area);
}

JOB_TEST(memory, parts_may_differ_in_size) {
  const auto bytes_of = [](int rank) { return static_cast<std::size_t>(rank) * 24; };
  region area = allocate(here.world(), bytes_of(here.rank()));
  EXPECT_EQ(area.mine().size(), bytes_of(here.rank()));
  const int to = here.size() - 1;
  const std::uint64_t value = stamp(here.rank(), to, 1);
  if (to > 0) {
    put_value(here, area.at<std::uint64_t>(to, static_cast<std::uint64_t>(here.rank())), value);
    control::barrier(here.world());
    if (here.rank() == to) {
      for (int from = 0; from < here.size(); ++from) {
        EXPECT_EQ(area.mine_as<std::uint64_t>()[static_cast<std::size_t>(from)],
                  stamp(from, to, 1));
      }
    }
    std::vector<std::byte> data(48);
    EXPECT_THROW(put(here, area.at(1, 0), data).wait(), error);
    EXPECT_THROW(put(here, area.at(0, bytes_of(to)), data).wait(), error);
  }
  free(area);
}

JOB_TEST(memory, a_lack_of_memory_is_told_to_all_in_the_same_words) {
  const int greedy = here.size() - 1;
  const std::size_t bytes = here.rank() == greedy ? std::size_t{1} << 50U : 64;
  try {
    static_cast<void>(allocate(here.world(), bytes));
    ADD_FAILURE() << "a pebibyte was allocated";
  } catch (const error& e) {
    EXPECT_EQ(e.kind(), error_kind::system);
    const std::string said = e.what();
    EXPECT_NE(said.find("rank " + std::to_string(greedy) + ": "), std::string::npos) << said;
    EXPECT_NE(said.find("bytes"), std::string::npos) << said;
  }
  region area = allocate(here.world(), 64);  // and the job goes on
  free(area);
}

JOB_TEST(memory, freed_and_foreign_regions_are_named) {
  region area = allocate(here.world(), 64);
  const auto stale = area.at<int>(0);
  free(area);
  EXPECT_FALSE(area);
  EXPECT_THROW(put_value(here, stale, 1), error);
  EXPECT_THROW(static_cast<void>(get_value(here, stale)), error);
}

JOB_TEST(memory, a_region_is_freed_once_whatever_copies_there_are) {
  region area = allocate(here.world(), 64);
  region copy = area;
  free(area);
  EXPECT_THROW(free(copy), error);
  EXPECT_FALSE(copy);
  free(copy);  // no region: nothing
}

JOB_TEST(memory, global_pointers_survive_arithmetic) {
  region area = allocate(here.world(), 800);
  const auto base = area.at<double>(here.size() - 1);
  EXPECT_EQ((base + 7).offset(), 56U);
  EXPECT_EQ((base + 7) - 7, base);
  EXPECT_EQ((base + 3).as<int>().offset(), 24U);
  EXPECT_EQ(base.rank(), here.size() - 1);
  EXPECT_EQ(base.region(), area.id());
  const auto mine = to_global(here, &area.mine_as<double>()[5]);
  EXPECT_EQ(mine, area.at<double>(here.rank(), 5));
  double elsewhere = 0;
  EXPECT_FALSE(to_global(here, &elsewhere));
  free(area);
}

JOB_TEST(memory, exposed_private_memory_is_readable) {
  // Rank r's secret starts 1000 r bytes into one sequence.
  constexpr std::size_t bytes = 300'000;
  const auto size = static_cast<std::size_t>(here.size());
  std::vector<std::byte> sequence(bytes + 1000 * size);
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    sequence[i] = static_cast<std::byte>((i * 7 + (i >> 8U) * 3) & 0xffU);
  }
  const auto secret_of = [&](std::size_t rank) {
    return std::span(std::as_const(sequence)).subspan(1000 * rank, bytes);
  };
  std::vector<std::byte> secret(bytes);
  std::ranges::copy(secret_of(static_cast<std::size_t>(here.rank())), secret.begin());
  exposed_memory mine = expose(here, secret);
  std::vector<exposed_memory> all(size);
  control::all_gather_values(here.world(), mine, std::span(all));
  // Among many ranks each reads about eight: all of them would be hundreds of megabytes.
  const std::size_t stride = (size + 7) / 8;
  const std::size_t first = static_cast<std::size_t>(here.rank()) % stride;
  std::vector<std::vector<std::byte>> copies;
  std::vector<request> open;
  for (std::size_t r = first; r < size; r += stride) {
    copies.emplace_back(bytes - 13);
    open.push_back(get(here, all[r], 13, copies.back()));
  }
  wait_all(open);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const std::size_t from = first + i * stride;
    ASSERT_EQ(test::first_difference(copies[i], secret_of(from).subspan(13)), bytes - 13) << from;
  }
  std::vector<std::byte> again(100);
  completion_counter fetched;
  get(here, all[0], 1, again, notice::to(fetched));
  fetched.wait(here);
  EXPECT_EQ(again[0], static_cast<std::byte>(7));
  control::barrier(here.world());
  conceal(here, mine);
}

JOB_TEST(memory, random_puts_and_atomics_match_an_oracle) {
  // Each rank owns a slice of every part, so the last put to a word is known.
  constexpr std::uint64_t words = 97;
  const auto size = static_cast<std::uint64_t>(here.size());
  region area = allocate(here.world(), size * words * 8);
  std::vector<std::uint64_t> wanted(size * words);
  random_stream numbers(7, static_cast<std::uint64_t>(here.rank()));
  for (int step = 0; step < 200; ++step) {
    const std::uint64_t to = numbers.below(size);
    const std::uint64_t at = numbers.below(words);
    const std::uint64_t length = 1 + numbers.below(words - at);
    std::vector<std::uint64_t> data(length);
    for (auto& word : data) word = numbers.next();
    std::copy(data.begin(), data.end(),
              wanted.begin() + static_cast<std::ptrdiff_t>(to * words + at));
    put(here,
        area.at<std::uint64_t>(static_cast<int>(to),
                               static_cast<std::uint64_t>(here.rank()) * words + at),
        data)
        .wait();
  }
  control::barrier(here.world());
  for (std::uint64_t to = 0; to < size; ++to) {
    std::vector<std::uint64_t> seen(words);
    get(here,
        area.at<std::uint64_t>(static_cast<int>(to),
                               static_cast<std::uint64_t>(here.rank()) * words),
        seen)
        .wait();
    ASSERT_EQ(test::first_difference(seen, std::span(wanted).subspan(to * words, words)), words);
  }
  control::barrier(here.world());
  free(area);
}

JOB_TEST(memory, signals_out_of_bounds_or_unaligned_are_refused) {
  region area = allocate(here.world(), 64);
  region words = allocate(here.world(), 16);
  const std::vector<std::byte> data(8);
  const int to = here.size() - 1;
  EXPECT_THROW(put_signal(here, area.at(to), data, {.word = words.at<std::uint64_t>(to, 2)}).wait(),
               error);
  const auto unaligned = words.at(to, 4).as<std::uint64_t>();
  EXPECT_THROW(put_signal(here, area.at(to), data, {.word = unaligned}).wait(), error);
  put_signal(here, area.at(to), {}, {.word = words.at<std::uint64_t>(to, 1)}).wait();
  control::barrier(here.world());
  EXPECT_EQ(words.mine_as<std::uint64_t>()[1],
            here.rank() == to ? static_cast<std::uint64_t>(here.size()) : 0U);
  EXPECT_EQ(words.mine_as<std::uint64_t>()[0], 0U);
  control::barrier(here.world());
  free(words);
  free(area);
}

JOB_TEST(memory, an_offset_that_is_too_large_changes_no_region) {
  region area = allocate(here.world(), 64);
  const auto far = area.at(0, std::uint64_t{5} << 44U);
  EXPECT_EQ(far.region(), area.id());
  EXPECT_EQ(far.rank(), 0);
  const std::byte value{1};
  EXPECT_THROW(put_value(here, far, value), error);
  EXPECT_THROW(put_value(here, area.at<std::uint64_t>(0, ~std::uint64_t{0}), 1U), error);
  free(area);
}

JOB_TEST(memory, exposed_memory_of_nobody_is_named) {
  EXPECT_THROW(get(here, exposed_memory{}, 0, {}).wait(), error);
}

JOB_TEST(memory, nothing_may_be_moved_anywhere) {
  region empty = allocate(here.world(), 0);
  region again = allocate(here.world(), 0);
  region words = allocate(here.world(), 8);
  const int to = (here.rank() + 1) % here.size();
  put(here, empty.at(to), {}).wait();
  put(here, empty.at(to), {}, implicit);
  get(here, empty.at(to), {}).wait();
  get(here, empty.at(to), {}, implicit);
  put_signal(here, empty.at(to), {}, {.word = words.at<std::uint64_t>(to)}).wait();
  const exposed_memory mine = expose(here, {});
  get(here, mine, 0, {}).wait();
  conceal(here, mine);
  here.quiet();
  wait_until(here, words.mine_as<std::uint64_t>()[0], conduit::comparison::equal, 1);
  EXPECT_EQ(to_global(here, words.mine().data()), words.at(here.rank()));
  EXPECT_TRUE(empty.mine().empty());
  control::broadcast(here.world(), 0, {});
  control::all_gather(here.world(), {}, {});
  control::all_reduce(here.world(), {}, control::fold::sum);
  control::barrier(here.world());
  free(again);
  EXPECT_EQ(to_global(here, words.mine().data()), words.at(here.rank()));
  free(words);
  free(empty);
}

TEST(memory_slots, peers_that_share_a_slot_are_reached_in_turn) {
  // A region keeps 1,024 parts: here three ranks share some slots, rank 0's own among them.
  constexpr int ranks = 2100;
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("laptop");
  options.stack_bytes = std::size_t{64} * 1024;
  for (const bool weak : {false, true}) {
    auto world = conduit::make_sim_world(options);
    if (weak) world = upwash::test::make_weak_world(std::move(world));
    run_on(*world, {}, [](job& here) {
      region area = allocate(here.world(), 64);
      std::vector<std::uint64_t> values(ranks);
      if (here.rank() == 0) {
        for (int round = 0; round < 2; ++round) {
          for (int to = 0; to < ranks; to += (to % 1024 < 8 ? 1 : 1016)) {
            auto& value = values[static_cast<std::size_t>(to)];
            value = stamp(0, to, 0);
            put(here, area.at<std::uint64_t>(to), std::span(&value, 1), implicit);
            put_signal(here, area.at<std::uint64_t>(to, 1), std::span(&value, 1),
                       {.word = area.at<std::uint64_t>(to, 2)})
                .wait();
          }
          here.quiet();
        }
      }
      control::barrier(here.world());
      if (here.rank() % 1024 < 8) {
        const auto mine = area.mine_as<std::uint64_t>();
        ASSERT_EQ(mine[0], stamp(0, here.rank(), 0));
        ASSERT_EQ(mine[1], stamp(0, here.rank(), 0));
        ASSERT_EQ(mine[2], 2U);
      }
      free(area);
    });
  }
}
