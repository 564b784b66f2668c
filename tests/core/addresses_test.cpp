// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From an address in a peer's address space to its region, against a list of all parts.
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;

struct part {
  int rank = -1;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  region_id id;
};

/// The parts of all members, told by messages of the test's own.
std::vector<part> parts_of(const region& of) {
  const team among = of.members();
  std::vector<part> all(static_cast<std::size_t>(among.size()));
  const part mine{among.here().rank(), reinterpret_cast<std::uintptr_t>(of.mine().data()),
                  of.mine().size(), of.id()};
  control::all_gather_values(among, mine, std::span(all));
  return all;
}

void expect_found(job& here, const std::vector<std::vector<part>>& regions, random_stream& draw) {
  for (const auto& region : regions) {
    for (const part& each : region) {
      if (each.size == 0) continue;
      for (const std::uint64_t offset : {std::uint64_t{0}, draw.below(each.size), each.size - 1}) {
        const auto* address = reinterpret_cast<const void*>(each.base + offset);
        EXPECT_EQ(global_at(here, each.rank, address),
                  global_ptr<std::byte>(each.rank, each.id, offset));
      }
    }
  }
}

}  // namespace

JOB_TEST(addresses, of_peers_lead_to_their_regions, .most_ranks = 8) {
  random_stream draw(31, static_cast<std::uint64_t>(here.rank()));
  const team half = here.world().split(here.rank() % 2, -here.rank());
  std::vector<region> open;
  std::vector<std::vector<part>> known;
  for (int n = 0; n < 12; ++n) {
    const team& among = n % 3 == 2 ? half : here.world();
    const std::size_t bytes = n % 2 == 0 ? 256 : draw.below(500);  // equal, or some empty
    open.push_back(allocate(among, n % 4 == 1 && here.rank() == 0 ? 0 : bytes));
    publish_addresses(open.back());
    known.push_back(parts_of(open.back()));
    for (int m = 0; m < among.size(); ++m) {
      const part& its = known.back()[static_cast<std::size_t>(m)];
      EXPECT_EQ(address_at(open.back(), m),
                its.size == 0 ? nullptr : reinterpret_cast<const void*>(its.base));
    }
    if (n % 4 != 0) expect_found(here, known, draw);
    if (n % 5 == 4) {  // some go
      const std::vector<part> gone = known[1];
      free(open[1]);
      open.erase(open.begin() + 1);
      known.erase(known.begin() + 1);
      for (const part& each : gone) {
        if (each.size == 0) continue;
        const auto found = global_at(here, each.rank, reinterpret_cast<const void*>(each.base));
        EXPECT_TRUE(!found || found.region() != each.id);
      }
      expect_found(here, known, draw);
    }
  }
  const int local = 0;
  EXPECT_FALSE(global_at(here, here.rank(), &local));
  EXPECT_FALSE(global_at(here, -1, open[0].mine().data()));
  EXPECT_FALSE(global_at(here, here.size(), open[0].mine().data()));
  control::barrier(here.world());
  for (region& each : open) free(each);
}

TEST(addresses, that_were_not_published_are_an_error) {
  const auto world = test::sim_of(2);
  EXPECT_EQ(test::message_of(*world,
                             [](job& here) {
                               const region area = allocate(here.world(), 8);
                               if (here.rank() == 1) static_cast<void>(address_at(area, 0));
                             }),
            "rank 1: address_at of a region whose addresses were not published; all members call "
            "publish_addresses before");
}
