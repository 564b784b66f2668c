// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checked runs on sim find conflicts under every seed where what lies between the two writes is
// known to the conduit, to the owner's memory, or to messages for later, but not to the program.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/onesided/conflict_programs.hpp"
#include "upwash/onesided/fence.hpp"
#include "upwash/onesided/transfer.hpp"

namespace {

using namespace upwash;
using namespace upwash::test;

constexpr duration soon = duration::from_us(100);  ///< what is late of the barrier before has come
constexpr duration later = duration::from_us(200);
constexpr duration much_later = duration::from_us(2000);

/// Serves what comes, and sends nothing of its program's before that time.
void serve_until(const area& in, duration when) {
  while (in.here.now() < when) in.here.progress();
}

/// Rank 1 writes and is complete long before rank 2 does `then`; nobody says anything meanwhile.
template <class First, class Then>
void far_apart(const area& in, const First& first_does, const Then& then_does) {
  const duration start = in.here.now();
  if (in.here.rank() == 1) {
    serve_until(in, start + soon);
    first_does();
  }
  if (in.here.rank() == 2) {
    serve_until(in, start + later);
    then_does();
  } else {
    serve_until(in, start + much_later);
  }
}

/// The completion comes from the same memory.
void a_put_elsewhere_between(area& in) {
  far_apart(
      in, [&] { put(in.here, in.at(4), first(4)).wait(); },
      [&] {
        put(in.here, in.at(100), first(4)).wait();
        put(in.here, in.at(4), first(4)).wait();
      });
}

void fences_elsewhere_between(area& in) {
  far_apart(
      in, [&] { put(in.here, in.at(4), first(4)).wait(); },
      [&] {
        put(in.here, in.at(100), first(4), unacknowledged).wait();
        fence(in.here, 0);
        put(in.here, in.at(4), first(4), unacknowledged).wait();
        fence_all(in.here);
      });
}

/// The first of the puts of rows asks for the key.
void rows_after_the_key(area& in) {
  const strided every_other{.bytes = 8, .levels = 1, .level = {{{4, 8, 16}}}};
  far_apart(
      in, [&] { put(in.here, in.at(4), first(4)).wait(); },
      [&] { put(in.here, in.at(0), first(8), every_other, transfer_options{0}).wait(); });
}

/// It has come, but the rank that wrote has not asked.
void unacknowledged_twice(area& in) {
  if (in.here.rank() != 1) return;
  serve_until(in, in.here.now() + soon);
  put(in.here, in.at(4), first(4), unacknowledged).wait();
  in.here.compute(later);
  put(in.here, in.at(4), first(4), unacknowledged).wait();
}

/// The message says that it has left.
void unacknowledged_and_told_of(area& in) {
  far_apart(
      in,
      [&] {
        put(in.here, in.at(4), first(4), unacknowledged).wait();
        in.here.compute(later);
        send_value(in.here.world(), 2);
      },
      [&] {
        receive_value(in.here.world(), 1);
        put(in.here, in.at(4), first(4)).wait();
      });
}

/// Ranks that share a core come to it one after the other, and find messages of the barrier behind.
void before_a_barrier(area& in) {
  if (in.here.rank() != 0) static_cast<void>(get_value(in.here, in.at(100)));
  control::barrier(in.here.world());
  control::barrier(in.here.world());
  in.here.compute(duration::from_us(50));
  if (in.here.rank() == 1 || in.here.rank() == 2) put(in.here, in.at(4), first(4)).wait();
  control::barrier(in.here.world());
}

constexpr std::uint64_t seeds = 12;

class chance_conflicts : public testing::TestWithParam<bool> {};

TEST_P(chance_conflicts, are_found_under_every_seed) {
  for (const program each :
       {&a_put_elsewhere_between, &fences_elsewhere_between, &rows_after_the_key,
        &unacknowledged_twice, &unacknowledged_and_told_of}) {
    EXPECT_EQ(times_found(each, GetParam(), seeds), seeds + 1);
  }
}

TEST_P(chance_conflicts, are_found_where_ranks_share_cores) {
  EXPECT_EQ(times_found(&before_a_barrier, GetParam(), seeds, shared_cores), seeds + 1);
}

INSTANTIATE_TEST_SUITE_P(, chance_conflicts, testing::Bool(), [](const auto& which) {
  return which.param ? "written_by_the_network" : "served_by_owners";
});

}  // namespace
