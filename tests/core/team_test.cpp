// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: splits, subsets, duplicates, levels, and the control collectives on them.
#include <array>
#include <numeric>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/named_subset.hpp"

namespace {

using namespace upwash;

/// Every member contributes its world rank; all must see the team's list.
void expect_members(const team& t, const std::vector<int>& world_ranks) {
  ASSERT_EQ(t.size(), static_cast<int>(world_ranks.size()));
  std::vector<int> seen(world_ranks.size());
  control::all_gather_values(t, t.here().rank(), std::span(seen));
  EXPECT_EQ(seen, world_ranks);
  for (int i = 0; i < t.size(); ++i) {
    EXPECT_EQ(t.world_rank(i), world_ranks[static_cast<std::size_t>(i)]);
    EXPECT_EQ(t.member_of(world_ranks[static_cast<std::size_t>(i)]), i);
  }
}

}  // namespace

JOB_TEST(team, split_groups_by_color_and_orders_by_key) {
  const team world = here.world();
  team third = world.split(here.rank() % 3, -here.rank());
  std::vector<int> expected;
  for (int r = here.size() - 1; r >= 0; --r) {
    if (r % 3 == here.rank() % 3) expected.push_back(r);
  }
  expect_members(third, expected);
  const team none = world.split(here.rank() == 0 ? -1 : 0, 0);
  EXPECT_EQ(static_cast<bool>(none), here.rank() != 0);
  third.release();
  EXPECT_FALSE(third);
}

JOB_TEST(team, subsets_talk_while_others_do_not) {
  std::vector<int> odd;
  for (int r = 1; r < here.size(); r += 2) odd.push_back(r);
  if (here.rank() % 2 == 1) {
    team t = here.world().subset(odd);
    expect_members(t, odd);
    for (int i = 0; i < 3; ++i) control::barrier(t);
    t.release();
  }
  const std::array<int, 1> alone{here.rank()};
  team self = here.world().subset(alone);
  expect_members(self, {here.rank()});
  std::vector<int> wrong{here.rank(), here.rank()};
  EXPECT_THROW(static_cast<void>(here.world().subset(wrong)), error);
}

JOB_TEST(team, named_subsets_of_one_list_are_apart) {
  std::vector<int> all(static_cast<std::size_t>(here.size()));
  std::iota(all.begin(), all.end(), 0);
  team one = named_subset(here.world(), all, 7);
  team two = named_subset(here.world(), all, 8);
  team counted = here.world().subset(all);
  EXPECT_NE(one.id(), two.id());
  EXPECT_NE(counted.id(), one.id());
  EXPECT_NE(counted.id(), two.id());
  for (team* each : {&two, &counted, &one}) {
    expect_members(*each, all);
    each->release();
  }
  // A name is free again.
  team again = named_subset(here.world(), all, 7);
  expect_members(again, all);
  again.release();
}

JOB_TEST(team, overlapping_teams_keep_apart) {
  const team world = here.world();
  team copy = world.duplicate();
  EXPECT_NE(copy.id(), world.id());
  team half = world.split(here.rank() < here.size() / 2 ? 0 : 1, 0);
  for (int i = 0; i < 5; ++i) {
    int a = here.rank() == 0 ? i : -1;
    control::broadcast_value(copy, 0, a);
    EXPECT_EQ(a, i);
    int b = half.rank() == half.size() - 1 ? here.rank() : -1;
    control::broadcast_value(half, half.size() - 1, b);
    EXPECT_EQ(b, half.world_rank(half.size() - 1));
    control::barrier(world);
  }
  half.release();
  copy.release();
}

JOB_TEST(team, levels_follow_the_machine) {
  const team node = here.world().node();
  const int mine = host(here).endpoint().place(here.rank()).node;
  std::vector<int> expected;
  for (int r = 0; r < here.size(); ++r) {
    if (host(here).endpoint().place(r).node == mine) expected.push_back(r);
  }
  expect_members(node, expected);
  const team leaders = here.world().leaders(level::node);
  EXPECT_EQ(static_cast<bool>(leaders), node.rank() == 0);
  const team socket = node.at(level::socket);
  EXPECT_LE(socket.size(), node.size());
  const int process = host(here).endpoint().place(here.rank()).process;
  std::vector<int> beside;
  for (int r = 0; r < here.size(); ++r) {
    if (host(here).endpoint().place(r).process == process) beside.push_back(r);
  }
  EXPECT_EQ(beside.size(), static_cast<std::size_t>(host(here).endpoint().local_ranks()));
  expect_members(here.world().at(level::process), beside);
  const team first = here.world().leaders(level::process);
  EXPECT_EQ(static_cast<bool>(first), here.rank() == host(here).endpoint().first_rank());
}

JOB_TEST(team, fake_nodes_split_one_machine, .least_ranks = 4, .on_sim = false, .on_direct = false,
         .on_loopback = false, .environment = {"UPWASH_FAKE_NODES=2"}) {
  const team node = here.world().node();
  EXPECT_LE(node.size(), (here.size() + 1) / 2);
  const team leaders = here.world().leaders(level::node);
  if (leaders) {
    EXPECT_EQ(leaders.size(), 2);
    EXPECT_EQ(leaders.rank(), host(here).endpoint().place(here.rank()).node);
  }
  control::barrier(node);
}

JOB_TEST(team, control_collectives_agree) {
  const team world = here.world();
  for (int root = 0; root < here.size(); ++root) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(root) * 700,
                                 here.rank() == root ? std::byte{5} : std::byte{0});
    control::broadcast(world, root, bytes);
    for (const std::byte b : bytes) ASSERT_EQ(b, std::byte{5});
  }
  const auto rank = static_cast<std::uint64_t>(here.rank());
  const auto size = static_cast<std::uint64_t>(here.size());
  std::array<std::uint64_t, 2> sum{rank, 1};
  control::all_reduce(world, sum, control::fold::sum);
  EXPECT_EQ(sum, (std::array<std::uint64_t, 2>{size * (size - 1) / 2, size}));
  std::array<std::uint64_t, 1> least{rank + 5};
  control::all_reduce(world, least, control::fold::least);
  EXPECT_EQ(least[0], 5U);
  std::array<std::uint64_t, 1> most{rank};
  control::all_reduce(world, most, control::fold::most);
  EXPECT_EQ(most[0], size - 1);
}

JOB_TEST(team, barriers_separate_phases) {
  region area = allocate(here.world(), 8);
  for (std::uint64_t phase = 1; phase <= 30; ++phase) {
    fetch_add(here, area.at<std::uint64_t>(0), 1);
    control::barrier(here.world());
    ASSERT_EQ(atomic_load(here, area.at<std::uint64_t>(0)),
              phase * static_cast<std::uint64_t>(here.size()));
    control::barrier(here.world());
  }
  free(area);
}

JOB_TEST(team, an_empty_one_refuses_by_name_whatever_it_is_asked) {
  const team none;
  const auto said = [](auto ask) {
    try {
      ask();
    } catch (const error& refused) {
      EXPECT_EQ(refused.kind(), error_kind::argument);
      return std::string(refused.what());
    }
    return std::string("no error");
  };
  const std::string text = "an empty team has no members";
  EXPECT_NE(said([&] { static_cast<void>(none.size()); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { static_cast<void>(none.rank()); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { static_cast<void>(none.id()); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { static_cast<void>(none.world_rank(0)); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { static_cast<void>(none.split(0, 0)); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { static_cast<void>(none.duplicate()); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { control::barrier(none); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { barrier(none).wait(); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { static_cast<void>(allocate(none, 8)); }).find(text), std::string::npos);
  team released = here.world().duplicate();
  released.release();
  EXPECT_NE(said([&] { static_cast<void>(released.size()); }).find(text), std::string::npos);
  EXPECT_NE(said([&] { released.release(); }).find(text), std::string::npos);
}
