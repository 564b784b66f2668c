// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A nonblocking collective that is repeated allocates nothing, whether its messages come before
// their receives or after. (Not on conduits that allocate their own messages one by one, nor for
// puts that core keeps for peers out of reach.)
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/allocations.hpp"
#include "tests/harness/job_test.hpp"
#include "upwash/collective/executor.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using schedule::buffer;
using schedule::generator;
using schedule::script;
using schedule::steps;

struct exchange {
  int ranks = 1;
  int rank = 0;
  std::uint64_t bytes = 0;
  bool apart = false;   ///< may use the board's lines
  bool placed = false;  ///< may be put
};

/// Each rank sends its input to each other, which writes it where it keeps that rank's.
steps go(script& out, exchange what) {
  for (int distance = 1; distance < what.ranks; ++distance) {
    const auto edge = static_cast<std::uint32_t>(distance);
    const auto place_of = [what](int from) {
      return schedule::piece{buffer::output, static_cast<std::uint64_t>(from) * what.bytes,
                             what.bytes};
    };
    const schedule::piece mine{buffer::input, 0, what.bytes};
    const int to = (what.rank + distance) % what.ranks;
    const int from = (what.rank + what.ranks - distance) % what.ranks;
    if (what.placed) {
      co_yield out.send(to, edge, mine).placed(place_of(what.rank));
      co_yield out.receive(from, edge, place_of(from)).placed();
    } else {
      co_yield out.send(to, edge, mine);
      co_yield out.receive(from, edge, place_of(from));
    }
  }
}

generator steps_of(const exchange& what) {
  return {{.window = static_cast<std::uint32_t>(2 * what.ranks),
           .scratch_bytes = 4096,
           .edges_apart = what.apart},
          [what](script& out) { return go(out, what); }};
}

/// The collective, and a team of the same members to wait for each other on.
struct repeated {
  const team& among;
  const team& beside;
  exchange what;
  binding buffers;
  manner how;
};

void wait_for_all(const repeated& of) {
  execute(of.beside, steps_of({of.among.size(), of.among.rank()}), {}).wait();
}

/// Half of the ranks begin when the messages of the others are on their way, or here.
void exchange_once(const repeated& of) {
  request open;
  if (of.among.rank() % 2 == 0) open = execute(of.among, steps_of(of.what), of.buffers, of.how);
  wait_for_all(of);
  if (of.among.rank() % 2 != 0) open = execute(of.among, steps_of(of.what), of.buffers, of.how);
  open.wait();
  wait_for_all(of);
}

/// The least of several times as many turns: how much is early at once differs.
std::uint64_t least_allocations(const repeated& of) {
  std::uint64_t least = ~std::uint64_t{0};
  for (int times = 0; times < 12; ++times) {
    const std::uint64_t before = test::allocations();
    for (int turn = 0; turn < 5; ++turn) exchange_once(of);
    least = std::min(least, test::allocations() - before);
  }
  return least;
}

/// What this rank has of all others.
void expect_exchanged(const repeated& of) {
  for (int from = 0; from < of.among.size(); ++from) {
    if (from == of.among.rank()) continue;
    const auto its = std::span<const std::byte>(of.buffers.output)
                         .subspan(static_cast<std::size_t>(from) * of.what.bytes, of.what.bytes);
    ASSERT_TRUE(std::all_of(its.begin(), its.end(),
                            [from](std::byte b) { return b == static_cast<std::byte>(from + 1); }))
        << "from " << from;
  }
}

void expect_no_allocation(const team& among, const team& beside, std::uint64_t bytes, bool apart,
                          bool places) {
  const auto ranks = static_cast<std::size_t>(among.size());
  region area = allocate(among, std::max<std::size_t>(ranks * bytes, 8));
  const std::vector<std::byte> mine(bytes, static_cast<std::byte>(among.rank() + 1));
  const std::span<std::byte> all = area.mine().first(ranks * bytes);
  manner how;
  how.rules = default_rules(among);
  if (places) {
    how.rules.addresses = schedule::address_mode::single;
    how.rules.forced = schedule::mechanism::signalling_put;
  }
  const repeated of{
      among, beside, {among.size(), among.rank(), bytes, apart, places}, {mine, all}, how};
  EXPECT_EQ(least_allocations(of), 0U)
      << bytes << " bytes" << (apart ? ", edges apart" : "") << (places ? ", put" : "");
  expect_exchanged(of);
  free(area);
}

/// Keeps words between steps, so that its frame is as large as that.
template <std::size_t Words>
steps copy_by_turns(script& out, int times) {
  std::array<std::uint64_t, Words> offsets{};
  for (int i = 0; i < times; ++i) {
    std::uint64_t& at = offsets[static_cast<std::size_t>(i) % Words];
    co_yield out.copy({buffer::input, at, 8}, {buffer::output, at, 8}).after_all();
    at = (at + 8) % 16;
  }
}

template <std::size_t Words>
generator copies() {
  return {{.window = 1}, [](script& out) { return copy_by_turns<Words>(out, 100); }};
}

/// Of the third time; before, there is no memory yet.
template <class Act>
std::uint64_t bytes_allocated_by(const Act& act) {
  for (int i = 0; i < 2; ++i) act();
  const std::uint64_t before = test::allocated_bytes();
  act();
  return test::allocated_bytes() - before;
}

}  // namespace

JOB_TEST(allocations, none_for_an_operation_that_is_repeated, .least_ranks = 2, .most_ranks = 9,
         .on_packets = false, .on_loopback = false) {
  const team world = here.world();
  team beside = world.split(0, world.rank());
  for (const std::uint64_t bytes : {0, 8, 500}) {
    expect_no_allocation(world, beside, bytes, false, false);
    expect_no_allocation(world, beside, bytes, true, false);
  }
  if (default_rules(world).direct) expect_no_allocation(world, beside, 500, false, true);
  beside.release();
}

/// Senders expose what receivers read: by cross-memory attach, or in parts through a pipeline.
JOB_TEST(allocations, none_for_large_edges_that_are_repeated, .least_ranks = 2, .most_ranks = 4,
         .on_sim = false, .on_direct = false, .on_loopback = false) {
  const team world = here.world();
  team beside = world.split(0, world.rank());
  for (const std::uint64_t bytes : {100'000, 1'000'000}) {
    expect_no_allocation(world, beside, bytes, false, false);
  }
  beside.release();
}

JOB_TEST(allocations, are_none_for_the_steps_of_what_is_repeated, .most_ranks = 1) {
  const std::vector<std::uint64_t> in{1, 2};
  std::vector<std::uint64_t> out(2);
  const binding buffers{std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out)), {}};
  persistent kept = prepare(here.world(), copies<40>(), buffers);
  EXPECT_EQ(bytes_allocated_by([&] { kept.start().wait(); }), 0U);
  const auto executed = [&](const generator& steps) {
    return bytes_allocated_by([&] { execute(here.world(), steps, buffers).wait(); });
  };
  EXPECT_EQ(executed(copies<100>()), 0U);
  EXPECT_EQ(out, in);
}
