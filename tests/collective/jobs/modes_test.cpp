// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mechanisms, address modes and synchronisation modes: each gives the same result where it is
// allowed, and costs the messages that the lowering says. Persistent collectives; many in flight.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;

std::uint64_t value_of(int rank, std::size_t i) {
  return static_cast<std::uint64_t>(rank) * 1'000'003 + i;
}

/// Messages that this rank sent for `call`, a collective. In a barrier the signals go out that wait
/// behind what was put.
template <class Call>
std::uint64_t messages_of(job& here, const Call& call) {
  control::barrier(here.world());
  const std::uint64_t before = here.counters().messages_sent;
  call();
  control::barrier(here.world());
  return here.counters().messages_sent - before;
}

}  // namespace

JOB_TEST(modes, every_mechanism_moves_the_same_data) {
  constexpr std::size_t most = 6000;
  region area = allocate(here.world(), 2 * most * sizeof(std::uint64_t));
  const auto words = area.mine_as<std::uint64_t>();
  for (const auto addresses : {address_mode::local, address_mode::single}) {
    for (const auto how : {mechanism::eager, mechanism::signalling_put, mechanism::rendezvous,
                           mechanism::single_copy, mechanism::matched}) {
      for (const auto entry : {sync_mode::mine, sync_mode::all}) {
        for (const std::size_t elements : {std::size_t{1}, std::size_t{100}, most}) {
          const auto mine = words.first(elements);
          const auto result = words.subspan(most, elements);
          for (std::size_t i = 0; i < elements; ++i) mine[i] = value_of(here.rank(), i);
          const collective_options options{.entry = entry,
                                           .exit = entry,
                                           .addresses = addresses,
                                           .transfer = how,
                                           .eager_bytes = 64};
          const int root = here.size() - 1;
          if (here.rank() == root) std::copy(mine.begin(), mine.end(), result.begin());
          broadcast(here.world(), root, result, options).wait();
          for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(result[i], value_of(root, i));
          all_reduce<sum>(here.world(), mine, result, options).wait();
          for (std::size_t i = 0; i < elements; ++i) {
            const auto n = static_cast<std::uint64_t>(here.size());
            ASSERT_EQ(result[i], n * (n - 1) / 2 * 1'000'003 + n * i);
          }
          // The next turn overwrites what slower peers may still read by a get.
          control::barrier(here.world());
        }
      }
    }
  }
  free(area);
}

JOB_TEST(modes, none_on_entry_skips_the_synchronisation, .least_ranks = 2) {
  // A put must hear from its receiver that the place is free; with none it does not.
  constexpr std::size_t elements = 4000;
  region area = allocate(here.world(), elements * sizeof(std::uint64_t));
  const auto words = area.mine_as<std::uint64_t>();
  const auto run = [&](sync_mode entry) {
    std::iota(words.begin(), words.end(), 1000 * here.rank());
    control::barrier(here.world());  // the synchronisation that the caller owes with none
    broadcast(here.world(), 0, words,
              {.algorithm = "knomial",
               .entry = entry,
               .addresses = address_mode::single,
               .transfer = mechanism::signalling_put})
        .wait();
    for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(words[i], i);
  };
  run(sync_mode::none);  // keys of regions are fetched at first use
  run(sync_mode::mine);
  const auto asked = messages_of(here, [&] { run(sync_mode::mine); });
  const auto unasked = messages_of(here, [&] { run(sync_mode::none); });
  // Each rank but the root asks once. Where puts take the target's processor, what it sends for
  // others blurs the count.
  if (reach_of(here.world()).holds(&conduit::peer_capabilities::remote_write) != pairs::all) {
    return free(area);
  }
  EXPECT_EQ(asked - unasked, here.rank() == 0 ? 0U : 1U);
  free(area);
}

JOB_TEST(modes, all_on_entry_waits_for_everybody, .least_ranks = 2) {
  region area = allocate(here.world(), 8);
  for (int late = 0; late < std::min(here.size(), 4); ++late) {
    fetch_add(here, area.at<std::uint64_t>(0), 1);
    std::uint64_t data = 5;
    const std::uint64_t wanted =
        static_cast<std::uint64_t>(late + 1) * static_cast<std::uint64_t>(here.size());
    broadcast(here.world(), late, std::span(&data, 1), {.entry = sync_mode::all}).wait();
    ASSERT_EQ(atomic_load(here, area.at<std::uint64_t>(0)), wanted);
    control::barrier(here.world());
  }
  free(area);
}

JOB_TEST(modes, none_on_exit_is_complete_after_the_next_collective) {
  std::vector<std::uint64_t> data(3000);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::fill(data.begin(), data.end(), here.rank() == 0 ? repeat + 1 : 0);
    request early = broadcast(here.world(), 0, std::span(data), {.exit = sync_mode::none});
    early.wait();  // says nothing of this rank's data
    barrier(here.world()).wait();
    for (const std::uint64_t each : data) {
      ASSERT_EQ(each, static_cast<std::uint64_t>(repeat) + 1);
    }
    barrier(here.world()).wait();
  }
}

JOB_TEST(modes, single_addresses_need_a_region, .least_ranks = 2, .alone = true) {
  std::vector<std::uint64_t> data(5000);
  std::string told;
  try {
    // Not waited for by its receivers: the root's error is the end of it.
    if (here.rank() == 0) {
      broadcast(here.world(), 0, std::span(data),
                {.algorithm = "knomial",
                 .entry = sync_mode::none,
                 .addresses = address_mode::single,
                 .transfer = mechanism::signalling_put})
          .wait();
    } else {
      return;
    }
  } catch (const error& e) {
    told = e.what();
  }
  EXPECT_NE(told.find("address mode single needs the output buffer in a region"), std::string::npos)
      << told;
}

JOB_TEST(modes, persistent_collectives_start_many_times) {
  constexpr std::size_t elements = 40;
  std::vector<std::uint64_t> mine(elements);
  std::vector<std::uint64_t> total(elements);
  auto kept = all_reduce<sum>(here.world(), persist, std::span<const std::uint64_t>(mine),
                              std::span(total));
  std::vector<std::uint64_t> large(9000);
  auto spread = broadcast(here.world(), persist, 0, std::span(large));
  for (std::uint64_t turn = 1; turn <= 6; ++turn) {
    std::fill(mine.begin(), mine.end(), turn);
    std::fill(large.begin(), large.end(), here.rank() == 0 ? turn : 0);
    request first = kept.start();
    request second = spread.start();
    EXPECT_THROW(
        {
          if (first.done()) throw error(error_kind::argument, "done at once");
          static_cast<void>(kept.start());
        },
        error);
    second.wait();
    first.wait();
    for (const std::uint64_t each : total) {
      ASSERT_EQ(each, turn * static_cast<std::uint64_t>(here.size()));
    }
    for (const std::uint64_t each : large) ASSERT_EQ(each, turn);
  }
}

JOB_TEST(modes, many_of_all_kinds_in_flight_on_overlapping_teams) {
  const team world = here.world();
  team half = world.split(here.rank() % 2, here.rank());
  constexpr int rounds = 20;  // more than shared memory has epochs between two settlings
  std::vector<std::uint64_t> sums(rounds);
  std::vector<std::uint64_t> roots(rounds);
  std::vector<request> open;
  const std::uint64_t one = 1;
  for (int i = 0; i < rounds; ++i) {
    const team& among = i % 3 == 0 ? half : world;
    const auto at = static_cast<std::size_t>(i);
    roots[at] = among.rank() == 0 ? 1000 + at : 0;
    open.push_back(all_reduce<sum>(among, std::span(&one, 1), std::span(&sums[at], 1)));
    open.push_back(broadcast(among, 0, std::span(&roots[at], 1)));
    open.push_back(barrier(among));
  }
  for (std::size_t i = open.size(); i-- > 0;) open[i].wait();
  for (int i = 0; i < rounds; ++i) {
    const team& among = i % 3 == 0 ? half : world;
    const auto at = static_cast<std::size_t>(i);
    ASSERT_EQ(sums[at], static_cast<std::uint64_t>(among.size()));
    ASSERT_EQ(roots[at], 1000 + at);
  }
  half.release();
}

JOB_TEST(modes, teams_may_be_started_in_any_order, .least_ranks = 3) {
  // Order counts within a team only: these two never wait for each other.
  team first = here.world().duplicate();
  team second = here.world().duplicate();
  for (int repeat = 0; repeat < 40; ++repeat) {
    const bool swapped = (here.rank() + repeat) % 2 == 1;
    request a = barrier(swapped ? second : first);
    request b = barrier(swapped ? first : second);
    b.wait();
    a.wait();
  }
  second.release();
  first.release();
}

namespace {

/// A barrier that the network is to carry out.
schedule::steps network_barrier(schedule::script& out) { co_yield out.net_barrier(); }

}  // namespace

JOB_TEST(modes, steps_in_the_network_are_refused_by_name, .on_packets = false) {
  collective::manner how;
  how.agreed = {.operation = "barrier", .algorithm = "in_network"};
  std::string told;
  try {
    const schedule::generator steps({.window = 1}, [](auto& out) { return network_barrier(out); });
    execute(here.world(), steps, {}, how).wait();
  } catch (const error& e) {
    told = e.what();
  }
  EXPECT_NE(told.find("barrier by in_network needs a network that carries out collectives"),
            std::string::npos)
      << told;
}

JOB_TEST(modes, sizes_above_two_to_the_31, .least_ranks = 2, .most_ranks = 2, .on_sim = false,
         .on_direct = false, .on_loopback = false, .shares_process = false) {
  if (std::getenv("UPWASH_TEST_LONG") == nullptr) return;
  const std::size_t elements = (std::size_t{1} << 28U) + 3;  // of 8 bytes
  std::vector<std::uint64_t> data(elements, static_cast<std::uint64_t>(here.rank()));
  if (here.rank() == 0) data.back() = 99;
  broadcast(here.world(), blocking, 0, std::span(data), {.algorithm = "knomial:segment=16m"});
  ASSERT_EQ(data.back(), 99U);
  ASSERT_EQ(data[elements / 2], 0U);
  all_reduce<sum>(here.world(), blocking, in_place, std::span(data));
  ASSERT_EQ(data.back(), 198U);
  ASSERT_EQ(data.front(), 0U);
}
