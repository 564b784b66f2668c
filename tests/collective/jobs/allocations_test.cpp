// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A nonblocking collective that is repeated allocates nothing, whether its messages come before
// their receives or after. (Not on conduits that allocate their own messages one by one, nor for
// puts that core keeps for peers out of reach.)
#include <algorithm>
#include <string>
#include <vector>

#include "tests/harness/allocations.hpp"
#include "tests/harness/job_test.hpp"
#include "upwash/collective/executor.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using schedule::buffer;

/// Each rank sends its input to each other, which writes it where it keeps that rank's.
struct exchange {
  int ranks = 1;
  int rank = 0;
  std::uint64_t bytes = 0;
  bool apart = false;   ///< may use the board's lines
  bool placed = false;  ///< may be put
  int emitted = 0;

  bool next(schedule::step& out, schedule::tape& on) {
    const int distance = emitted / 2 + 1;
    if (distance >= ranks) return false;
    const bool sends = emitted++ % 2 == 0;
    out.kind = sends ? schedule::step_kind::send : schedule::step_kind::receive;
    out.peer = (rank + (sends ? distance : ranks - distance)) % ranks;
    out.edge = static_cast<std::uint32_t>(distance);
    out.left = {buffer::input, 0, sends ? bytes : 0};
    const int from = sends ? rank : out.peer;
    out.into = {buffer::output, static_cast<std::uint64_t>(from) * bytes, bytes};
    out.placed = placed;
    on.emit(out);
    return true;
  }
  [[nodiscard]] std::uint32_t window() const { return static_cast<std::uint32_t>(2 * ranks); }
  [[nodiscard]] std::uint64_t scratch_bytes() const { return 4096; }
  [[nodiscard]] bool edges_apart() const { return apart; }
};

/// The collective, and a team of the same members to wait for each other on.
struct repeated {
  const team& among;
  const team& beside;
  exchange what;
  binding buffers;
  manner how;
};

void wait_for_all(const repeated& of) {
  execute(of.beside, exchange{of.among.size(), of.among.rank()}, {}).wait();
}

/// Half of the ranks begin when the messages of the others are on their way, or here.
void exchange_once(const repeated& of) {
  request open;
  if (of.among.rank() % 2 == 0) open = execute(of.among, of.what, of.buffers, of.how);
  wait_for_all(of);
  if (of.among.rank() % 2 != 0) open = execute(of.among, of.what, of.buffers, of.how);
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
