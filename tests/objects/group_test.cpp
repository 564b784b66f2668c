// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups: one object a rank, or a node.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/objects/notes.hpp"
#include "upwash/objects/aggregated.hpp"
#include "upwash/objects/object_group.hpp"

namespace {

using namespace upwash;

struct desk : object<int> {
  using object::object;
  desk(const site& at, int first) : object(at), sum(first) {}

  template <class A>
  void serialize(A& archive) {
    archive(sum, known);
  }
  void add(int more) { sum += more; }
  void report() { contribute<upwash::sum>(sum, everyone<&desk::know>()); }
  void know(int all) { known = all; }
  void go() { migrate_to(0); }

  int sum = 0;
  int known = -1;
};

}  // namespace

JOB_TEST(object_group, has_an_object_on_each_rank) {
  object_group<desk> all(here.world(), {.name = "desks"}, 10);
  const int next = (here.rank() + 1) % here.size();
  all[next].send<&desk::add>(here.rank());
  all->quiet();
  ASSERT_NE(all.here(), nullptr);
  EXPECT_EQ(all.here()->index(), here.rank());
  EXPECT_EQ(all.here()->sum, 10 + (here.rank() + here.size() - 1) % here.size());
  if (here.rank() == 0) all->broadcast<&desk::report>();
  all->quiet();
  EXPECT_EQ(all.here()->known, here.size() * 10 + here.size() * (here.size() - 1) / 2);
  all->quiet();
}

JOB_TEST(object_group, has_an_object_on_each_node) {
  object_group<desk> all(here.world(), {.name = "desks", .one_per = level::node}, 0);
  all[all.index_of_mine()].send<&desk::add>(1);
  all->quiet();
  team node = here.world().node();
  EXPECT_EQ(all.here() != nullptr, node.rank() == 0);
  if (node.rank() == 0) {
    EXPECT_EQ(all.here()->sum, node.size());
  }
  node.release();
  if (here.rank() == 0) all->broadcast<&desk::report>();
  all->quiet();
  if (all.here() != nullptr) {
    EXPECT_EQ(all.here()->known, here.size());
  }
  all->quiet();
}

JOB_TEST(object_group, aggregates_calls_of_ranks_and_of_nodes) {
  for (const std::optional<level> one_per : {std::optional<level>(), std::optional(level::node)}) {
    object_group<desk> all(here.world(), {.name = "desks", .one_per = one_per}, 0);
    std::vector<int> indices(static_cast<std::size_t>(here.size()));
    const int mine = all.index_of_mine();
    all_gather(here.world(), blocking, std::span(&mine, 1), std::span(indices));
    {
      aggregated<&desk::add> adding(all.array());
      for (int round = 1; round <= 50; ++round) {
        for (const int index : indices) adding[index].send(round);
      }
    }
    const auto of_mine = std::ranges::count(indices, mine);
    if (all.here() != nullptr) {
      EXPECT_EQ(all.here()->sum, here.size() * of_mine * 50 * 51 / 2);
    }
    all->quiet();
  }
}

JOB_TEST(object_broadcasts, go_down_a_binary_tree_in_one_order) {
  constexpr int count = 9;
  object_array<desk> all(here.world(), {.broadcasts = tree_of_members::binary});
  all.fill(all_indices<int>({count}));
  for (int turn = 1; turn <= 5; ++turn) {
    if (turn % here.size() == here.rank()) all.broadcast<&desk::add>(turn);
  }
  all.quiet();
  all.for_each_here([](const desk& one) { EXPECT_EQ(one.sum, 15); });
  all.quiet();
  if (here.rank() == here.size() - 1) {
    all.broadcast<&desk::report>();
    all.broadcast<&desk::add>(1);
  }
  all.quiet();
  all.for_each_here([](const desk& one) {
    EXPECT_EQ(one.known, 15 * count);
    EXPECT_EQ(one.sum, 16);
  });
  all.quiet();
}

TEST(object_errors, name_what_migrates_from_its_place_in_a_group) {
  const auto world = test::sim_of(2);
  const std::string said = test::message_of(*world, [](job& here) {
    object_group<desk> all(here.world(), {.name = "desks"});
    all[1].send<&desk::go>();
    all->quiet();
  });
  EXPECT_NE(said.find("object [1] of desks: migrates, but objects of a group stay"),
            std::string::npos)
      << said;
}

JOB_TEST(object_group, is_saved_and_loaded, .most_ranks = 7) {
  const test::job_folder folder(here);
  const std::string path = folder / "desks";
  {
    object_group<desk> all(here.world(), {.name = "desks"}, 10);
    all.here()->sum += here.rank();
    all->save(path, {.type = "desks"});
  }
  object_group<desk> again(here.world(), {.name = "desks"}, saved_group{path, {.type = "desks"}});
  ASSERT_NE(again.here(), nullptr);
  EXPECT_EQ(again.here()->sum, 10 + here.rank());
  if (here.rank() == 0) again->broadcast<&desk::report>();
  again->quiet();
  EXPECT_EQ(again.here()->known, here.size() * 10 + here.size() * (here.size() - 1) / 2);
  again->quiet();
}

JOB_TEST(object_group, is_loaded_on_another_number_of_ranks_where_there_are_as_many_places,
         .least_ranks = 3, .most_ranks = 7) {
  const test::job_folder folder(here);
  const std::string path = folder / "desks";
  // The last ranks, so that places have other numbers than they had.
  const team part = here.world().split(here.rank() == 0 ? -1 : 0, -here.rank());
  if (part) {
    object_group<desk> few(part, {.name = "desks"}, 0);
    few.here()->sum = 100 + part.rank();
    few->save(path);
  }
  control::barrier(here.world());
  std::string said = "no error";
  try {
    object_group<desk> more(here.world(), {.name = "desks"}, saved_group{path});
  } catch (const error& refused) {
    said = refused.what();
  }
  EXPECT_NE(said.find("has a group of " + std::to_string(here.size() - 1) +
                      " objects, but this one has " + std::to_string(here.size()) + " places"),
            std::string::npos)
      << said;
  // As many nodes as there were ranks, of two members each where ranks share a node.
  const team node = here.world().node();
  const int nodes = all_reduce<sum>(here.world(), blocking, node.rank() == 0 ? 1 : 0);
  const std::string of_nodes = folder / "nodes";
  const team first = here.world().split(here.rank() < nodes ? 0 : -1, here.rank());
  if (first) {
    object_group<desk> some(first, {.name = "desks"}, 0);
    some.here()->sum = first.rank();
    some->save(of_nodes);
  }
  control::barrier(here.world());
  object_group<desk> desks(here.world(), {.name = "desks", .one_per = level::node},
                           saved_group{of_nodes});
  EXPECT_EQ(desks.here() != nullptr, node.rank() == 0);
  const int total = desks.here() == nullptr ? 0 : desks.here()->sum;
  EXPECT_EQ(all_reduce<sum>(here.world(), blocking, total), nodes * (nodes - 1) / 2);
}

JOB_TEST(object_group, is_not_loaded_from_an_array, .most_ranks = 7) {
  const test::job_folder folder(here);
  object_array<desk> many(here.world());
  many.fill(all_indices<int>({8 * static_cast<std::size_t>(here.size())}));
  many.save(folder / "array");
  std::string said = "no error";
  try {
    object_group<desk> group(here.world(), {.name = "desks"}, saved_group{folder / "array"});
  } catch (const error& refused) {
    said = refused.what();
  }
  EXPECT_NE(said.find("has objects of an array, not of a group"), std::string::npos) << said;
}
