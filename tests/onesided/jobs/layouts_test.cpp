// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of random layouts against the bytes that the definition says, on every conduit;
// what is refused.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/compare.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/onesided/layout_samples.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/transfer.hpp"

namespace {

using namespace upwash;
using test::any_layout;
using test::bytes_of;
using test::draw_layout;
using test::first_difference;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }
using bytes = std::vector<std::byte>;

std::byte byte_at(std::uint64_t a, std::uint64_t b, std::uint64_t at) {
  return static_cast<std::byte>(random_bits(a, b, at) & 0xffU);
}
bytes filled(std::uint64_t a, std::uint64_t b, std::uint64_t size) {
  bytes made(size);
  for (std::uint64_t i = 0; i < size; ++i) made[i] = byte_at(a, b, i);
  return made;
}

/// A transfer of a rank; every rank can play every rank. It has a window of its own at the target.
struct deed {
  int target = 0;
  std::uint64_t shift = 0;  ///< of the pointer, from the start of the window
  transfer_options how;
  any_layout laid;
};
std::vector<deed> deeds_of(const team& among, int member, int deeds, std::uint64_t window) {
  random_stream draw(71, as_count(member));
  std::vector<deed> all(as_count(deeds));
  constexpr std::array<std::size_t, 4> thresholds{0, 24, 2048, ~std::size_t{0}};
  for (deed& each : all) {
    each.target = static_cast<int>(draw.below(as_count(among.size())));
    each.shift = draw.below(8);
    each.how.packed_below = thresholds[draw.below(thresholds.size())];
    each.laid = draw_layout(draw, window - 8);
  }
  return all;
}

/// All members put, by request or implicitly, and compare what they have with the definition.
void put_all(const team& among, int deeds, std::uint64_t window) {
  job& here = among.here();
  const std::uint64_t slice = as_count(deeds) * window;
  region area = allocate(among, slice * as_count(among.size()));
  const auto mine = deeds_of(among, among.rank(), deeds, window);
  const bytes from = filled(1, as_count(among.rank()), window);
  std::vector<request> open;
  for (std::uint64_t i = 0; i < mine.size(); ++i) {
    const deed& d = mine[i];
    const auto to = area.at(d.target, as_count(among.rank()) * slice + i * window + d.shift);
    // The layout itself may go at once.
    const any_layout laid = d.laid;
    switch (i % 3) {
      case 0: put(here, to, from, laid.view(), implicit, d.how); break;
      case 1: open.push_back(put(here, to, from, laid.view(), d.how)); break;
      default: put(here, to, from, laid.view(), d.how).wait(); break;
    }
  }
  wait_all(open);
  here.quiet();
  control::barrier(among);
  for (int source = 0; source < among.size(); ++source) {
    const auto theirs = deeds_of(among, source, deeds, window);
    bytes wanted(slice);
    for (std::uint64_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i].target != among.rank()) continue;
      for (const auto& [local, remote] : bytes_of(theirs[i].laid)) {
        wanted[i * window + theirs[i].shift + remote] = byte_at(1, as_count(source), local);
      }
    }
    const auto seen = area.mine().subspan(as_count(source) * slice, slice);
    const std::size_t differs = first_difference(seen, wanted);
    EXPECT_EQ(differs, slice) << "from " << source << ", deed " << differs / window;
  }
  control::barrier(among);
  free(area);
}

/// All members get into memory that is theirs, of which only the runs may change.
void get_all(const team& among, int deeds, std::uint64_t window) {
  job& here = among.here();
  region area = allocate(among, window);
  const bytes own = filled(2, as_count(among.rank()), window);
  std::copy(own.begin(), own.end(), area.mine().begin());
  control::barrier(among);
  const auto mine = deeds_of(among, among.rank(), deeds, window);
  std::vector<bytes> into(mine.size(), bytes(window, std::byte{0xee}));
  std::vector<request> open;
  for (std::uint64_t i = 0; i < mine.size(); ++i) {
    const deed& d = mine[i];
    const auto from = area.at(d.target, d.shift);
    const any_layout laid = d.laid;
    switch (i % 3) {
      case 0: get(here, from, into[i], laid.view(), implicit, d.how); break;
      case 1: open.push_back(get(here, from, into[i], laid.view(), d.how)); break;
      default: get(here, from, into[i], laid.view(), d.how).wait(); break;
    }
  }
  wait_all(open);
  here.quiet();
  for (std::uint64_t i = 0; i < mine.size(); ++i) {
    bytes wanted(window, std::byte{0xee});
    for (const auto& [local, remote] : bytes_of(mine[i].laid)) {
      wanted[local] = byte_at(2, as_count(mine[i].target), mine[i].shift + remote);
    }
    EXPECT_EQ(first_difference(into[i], wanted), window) << "deed " << i;
  }
  control::barrier(among);
  free(area);
}

std::string refusal(void (*body)(job&, const region&)) {
  const auto world = test::sim_of(2);
  return test::message_of(*world, [&](job& here) {
    region area = allocate(here.world(), 1000);
    if (here.rank() == 0) body(here, area);
    control::barrier(here.world());
    free(area);
  });
}

}  // namespace

JOB_TEST(layouts, puts_arrive) { put_all(here.world(), here.size() > 8 ? 12 : 30, 3000); }

JOB_TEST(layouts, gets_bring) { get_all(here.world(), here.size() > 8 ? 12 : 30, 3000); }

JOB_TEST(layouts, puts_and_gets_of_teams, .least_ranks = 3, .most_ranks = 8) {
  const team odd = here.world().split(here.rank() % 2, -here.rank());
  put_all(odd, 10, 1500);
  get_all(odd, 10, 1500);
}

JOB_TEST(layouts, large_transfers, .least_ranks = 2, .most_ranks = 3) {
  put_all(here.world(), 4, std::uint64_t{200} << 10U);
  get_all(here.world(), 4, std::uint64_t{200} << 10U);
}

/// A megabyte of a matrix: columns of 8 bytes, and of 4 KiB.
JOB_TEST(layouts, a_megabyte_in_columns, .least_ranks = 2, .most_ranks = 2) {
  constexpr std::uint64_t size = std::uint64_t{1} << 20U;
  region area = allocate(here.world(), 2 * size);
  const int peer = 1 - here.rank();
  const bytes from = filled(3, as_count(here.rank()), size);
  control::barrier(here.world());
  for (const std::int64_t run : {8, 4096}) {
    const std::int64_t count = static_cast<std::int64_t>(size) / run;
    const strided laid{run, 1, {{{count, run, 2 * run}}}};
    put(here, area.at(peer), from, laid).wait();
    bytes back(size);
    const strided again{run, 1, {{{count, run, 2 * run}}}};
    get(here, area.at(peer), back, again).wait();
    EXPECT_EQ(first_difference(back, from), size) << run;
    control::barrier(here.world());
  }
  free(area);
}

/// A fence that follows knows of all that was begun, however many messages it takes.
JOB_TEST(layouts, quiet_of_a_rank_waits_for_all_pieces, .least_ranks = 2, .most_ranks = 4) {
  constexpr std::uint64_t size = 40000;
  region area = allocate(here.world(), 2 * size);
  const int peer = (here.rank() + 1) % here.size();
  const bytes from = filled(4, as_count(here.rank()), size);
  const strided laid{5, 1, {{{size / 5, 5, 10}}}};
  control::barrier(here.world());
  put(here, area.at(peer), from, laid, implicit, {.packed_below = 64});
  here.quiet(peer);
  const peer_traffic now = traffic_towards(here, peer);
  EXPECT_EQ(now.begun, now.complete);
  bytes back(2 * size);
  get(here, area.at(peer), back).wait();
  bytes wanted(2 * size);
  for (std::uint64_t i = 0; i < size; ++i) wanted[i / 5 * 10 + i % 5] = from[i];
  EXPECT_EQ(first_difference(back, wanted), 2 * size);
  control::barrier(here.world());
  free(area);
}

TEST(layouts, what_makes_no_sense_is_refused) {
  static const bytes mine(100);
  static const strided sound{4, 1, {{{3, 8, 8}}}};
  EXPECT_EQ(refusal([](job& here, const region& area) {
              put(here, area.at(1), mine, strided{4, 1, {{{3, 8, -8}}}}).wait();
            }),
            "rank 0: put to rank 1: the layout is strided, with 3 at strides of 8 (local) and -8 "
            "(remote) in level 0; give counts and strides of 0 or more");
  EXPECT_EQ(refusal([](job& here, const region&) {
              put(here, global_ptr<std::byte>(), mine, sound).wait();
            }),
            "rank 0: put to a null pointer; give one into a region (region::at)");
  EXPECT_EQ(refusal([](job& here, const region& area) {
              put(here, global_ptr<std::byte>(2, area.id(), 0), mine, sound).wait();
            }),
            "rank 0: put to rank 2: the job has ranks 0 to 1");
  EXPECT_EQ(refusal([](job& here, const region&) {
              put(here, global_ptr<std::byte>(1, {1, 77}, 5), mine, sound, implicit);
            }),
            "rank 0: put to rank 1: the pointer with offset 5 names a region that this rank is no "
            "member of, or that was freed");
  EXPECT_EQ(refusal([](job& here, const region& area) {
              bytes into(19);
              get(here, area.at(1), into, sound).wait();
            }),
            "rank 0: get from rank 1: a layout that reaches over 20 bytes of this rank's memory "
            "leaves the 19 bytes of the span that was given");
  EXPECT_EQ(refusal([](job& here, const region& area) {
              bytes into(100);
              get(here, area.at(1, 981), into, sound, implicit);
            }),
            "rank 0: get from rank 1: a layout that reaches over 20 bytes from offset 981 on "
            "leaves the 1000 bytes that are there");
  EXPECT_EQ(refusal([](job& here, const region& area) {
              put(here, area.at(0, 981), mine, sound).wait();
            }),
            "rank 0: put to rank 0: a layout that reaches over 20 bytes from offset 981 on "
            "leaves the 1000 bytes that are there");
}

/// Only the owner knows how large its part is.
TEST(layouts, a_target_with_a_smaller_part_refuses) {
  const auto world = test::sim_of(2);
  const std::string text = test::message_of(*world, [](job& here) {
    region area = allocate(here.world(), here.rank() == 0 ? 1000 : 100);
    const bytes from(100);
    const strided laid{4, 1, {{{3, 8, 8}}}};
    if (here.rank() == 0) put(here, area.at(1, 90), from, laid).wait();
    control::barrier(here.world());
    free(area);
  });
  EXPECT_EQ(text,
            "rank 1: memory handler onesided.store for rank 0 threw: 20 bytes at offset 90 leave "
            "the 100 bytes of rank 1");
}
