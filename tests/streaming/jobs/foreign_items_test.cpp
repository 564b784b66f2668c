// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams of items that only cereal knows.
#include <cereal/types/map.hpp>
#include <map>

#include "tests/harness/job_test.hpp"
#include "upwash/base/serialize_cereal.hpp"
#include "upwash/streaming/stream.hpp"

using namespace upwash;

JOB_TEST(stream, takes_what_cereal_serializes, .most_ranks = 5) {
  using histogram = std::map<int, std::uint64_t>;
  const team world = here.world();
  histogram all;
  auto items = open_stream<histogram>(world, [&all](const histogram& some) {
    for (const auto& [value, count] : some) all[value] += count;
  });
  for (int to = 0; to < world.size(); ++to) {
    histogram mine;
    for (int i = 0; i <= world.rank(); ++i) mine[i] = 1;
    items.push(to, mine);
  }
  items.close();
  for (int i = 0; i < world.size(); ++i) {
    ASSERT_EQ(all[i], static_cast<std::uint64_t>(world.size() - i));
  }
}
