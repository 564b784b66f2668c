// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms that are forced for the whole job, in teams which they can serve and others.
#include <string>
#include <string_view>

#include "tests/harness/job_test.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"

namespace {

using namespace upwash;

constexpr std::string_view levels = "hierarchical";

std::string objection_to_levels(const team& among) {
  collective::registry all;
  collective::add_algorithms(all);
  collective::problem call{
      .of = collective::kind::all_reduce, .ranks = among.size(), .bytes = sizeof(int)};
  collective::tell_nodes(among, call);
  return collective::registry::objection(all.named(call.of, levels), call);
}

/// Whether a sum that names the levels itself is refused for that reason.
bool refuses_levels_by_name(const team& among) {
  try {
    static_cast<void>(all_reduce<sum>(among, blocking, 1, {.algorithm = levels}));
  } catch (const error& refusal) {
    return std::string_view(refusal.what()).find(objection_to_levels(among)) !=
           std::string_view::npos;
  }
  return false;
}

}  // namespace

JOB_TEST(forced_algorithms, make_way_where_they_cannot_serve) {
  collective::install(here, {.forced = "all_reduce=hierarchical"});
  const team world = here.world();
  EXPECT_EQ(all_reduce<sum>(world, blocking, here.rank()), here.size() * (here.size() - 1) / 2);
  // Single members have no levels; of halves some have where nodes are of several ranks.
  team alone = world.split(here.rank(), 0);
  EXPECT_EQ(all_reduce<sum>(alone, blocking, here.rank()), here.rank());
  team half = world.split(here.rank() < here.size() / 2 ? 0 : 1, here.rank());
  EXPECT_EQ(all_reduce<sum>(half, blocking, 1), half.size());
  EXPECT_FALSE(objection_to_levels(alone).empty());
  EXPECT_TRUE(refuses_levels_by_name(alone));
  half.release();
  alone.release();
  collective::install(here, {});
}
