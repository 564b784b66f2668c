// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kumar 2005, section 3.1: all-to-all strategies of 512 and 1,024 processors of Lemieux by size.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "tests/sanitized.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;

/// One message each, as in the equations of the paper.
duration completion(std::string_view algorithm, int ranks, std::uint64_t bytes) {
  collective::registry all;
  collective::add_algorithms(all);
  collective::problem call;
  call.of = collective::kind::all_to_all;
  call.ranks = ranks;
  call.bytes = bytes;
  call.whole_messages = true;
  const collective::selection with = all.named(call.of, algorithm);
  schedule::transfer_rules rules;
  rules.eager_bytes = 1 << 30;
  simulator::replay_options options;
  options.free_where_absent = true;
  duration last;
  const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
  for (const auto& each :
       simulator::replay(ranks, steps, load_machine("lemieux"), rules, options)) {
    last = std::max(last, each.completion);
  }
  return last;
}

}  // namespace

/// Published: the meshes are ahead of direct sends below about 1000 B; held to half of it each way.
TEST(kumar_chapter_3, figures_3_4_and_3_5_meshes_are_ahead_up_to_about_1000_bytes) {
  if (upwash::test::sanitized) GTEST_SKIP() << "the same code as for fewer ranks";
  for (const int ranks : {512, 1024}) {
    const duration direct_short = completion("direct", ranks, 500);
    EXPECT_LT(completion("mesh2d", ranks, 500), direct_short) << ranks;
    EXPECT_LT(completion("mesh3d", ranks, 500), direct_short) << ranks;
    const duration direct_long = completion("direct", ranks, 1500);
    EXPECT_GT(completion("mesh2d", ranks, 1500), direct_long) << ranks;
    EXPECT_GT(completion("mesh3d", ranks, 1500), direct_long) << ranks;
  }
}
