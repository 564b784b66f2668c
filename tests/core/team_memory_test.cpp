// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of teams, a part for each member, where members load and store each other's memory.
#include "upwash/core/team_memory.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <string>

#include "tests/harness/job_test.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;

constexpr std::size_t words_a_part = 12;
constexpr std::size_t part_bytes = words_a_part * sizeof(std::uint64_t);

std::atomic_ref<std::uint64_t> word(const team_memory& memory, int member, std::size_t which) {
  return std::atomic_ref(reinterpret_cast<std::uint64_t*>(memory.part(member))[which]);
}

std::uint64_t stamp(const team& among, int from, int to) {
  return among.id() + static_cast<std::uint64_t>(from * among.size() + to + 1);
}

/// Each member finds its part zero, writes a word to every part, and finds what the others wrote.
void use(const team& among, const team_memory& memory) {
  for (std::size_t w = 0; w < words_a_part; ++w) {
    ASSERT_EQ(word(memory, among.rank(), w).load(), 0U) << w;
  }
  control::barrier(among);
  const auto own = static_cast<std::size_t>(among.rank()) % words_a_part;
  for (int to = 0; to < among.size(); ++to) {
    if (among.rank() < static_cast<int>(words_a_part)) {
      word(memory, to, own).store(stamp(among, among.rank(), to));
    }
  }
  control::barrier(among);
  for (int from = 0; from < std::min<int>(among.size(), words_a_part); ++from) {
    const auto its = static_cast<std::size_t>(from);
    ASSERT_EQ(word(memory, among.rank(), its).load(), stamp(among, from, among.rank())) << from;
  }
}

}  // namespace

JOB_TEST(team_memory, parts_are_zero_and_all_members_reach_them) {
  if (!all_direct(here.world())) return;
  team_memory memory(here.world(), part_bytes);
  use(here.world(), memory);
  memory.release();
  EXPECT_FALSE(memory);
}

JOB_TEST(team_memory, of_many_processes_is_reached_when_it_is_used, .least_ranks = 20,
         .most_ranks = 20, .on_sim = false, .on_loopback = false) {
  if (!all_direct(here.world())) return;
  const team reversed = here.world().split(here.rank() % 3, -here.rank());
  for (const team& among : {here.world(), reversed}) {
    team_memory memory(among, part_bytes);
    if (among.rank() == 1) word(memory, among.size() - 1, 0).store(among.id());
    control::barrier(among);
    if (among.rank() == among.size() - 1) {
      EXPECT_EQ(word(memory, among.rank(), 0).exchange(0), among.id());
    }
    control::barrier(among);
    use(among, memory);
    memory.release();
  }
}

JOB_TEST(team_memory, inside_nodes_reaches_those_of_the_node_alone) {
  if (!nodes_direct(here.world())) return;
  const team reversed = here.world().split(here.rank() % 2, -here.rank());
  const conduit::endpoint& at = host(here).endpoint();
  const auto node_of = [&](int member) { return at.place(reversed.world_rank(member)).node; };
  for (int repeat = 0; repeat < 2; ++repeat) {
    team_memory memory = team_memory::inside_nodes(
        reversed, static_cast<std::size_t>(reversed.size()) * sizeof(std::uint64_t));
    const auto me = static_cast<std::size_t>(reversed.rank());
    for (int member = 0; member < reversed.size(); ++member) {
      const bool near = node_of(member) == node_of(reversed.rank());
      ASSERT_EQ(memory.part(member) != nullptr, near) << member;
      if (near) word(memory, member, me).store(stamp(reversed, reversed.rank(), member));
    }
    control::barrier(reversed);
    for (int from = 0; from < reversed.size(); ++from) {
      const bool near = node_of(from) == node_of(reversed.rank());
      ASSERT_EQ(word(memory, reversed.rank(), static_cast<std::size_t>(from)).load(),
                near ? stamp(reversed, from, reversed.rank()) : 0U);
    }
    memory.release();
  }
}

JOB_TEST(team_memory, parts_begin_on_lines_of_their_own) {
  if (!all_direct(here.world())) return;
  team_memory memory(here.world(), 1);
  std::set<const std::byte*> lines;
  for (int member = 0; member < here.size(); ++member) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.part(member)) % 64, 0U);
    lines.insert(memory.part(member));
  }
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(here.size()));
  memory.release();
}

JOB_TEST(team_memory, groups_are_the_processes_of_the_team, 2) {
  if (!all_direct(here.world())) return;
  const team reversed = here.world().split(here.rank() % 2, -here.rank());
  team_memory memory(reversed, [&](const process_group& group) {
    EXPECT_LT(group.number, group.processes);
    return static_cast<std::size_t>(group.most_members) * 8;
  });
  const process_group& own = memory.group();
  const conduit::endpoint& at = host(here).endpoint();
  const auto process_of = [&](int m) { return at.place(reversed.world_rank(m)).process; };
  int index = 0;
  int members = 0;
  int first = -1;
  for (int m = 0; m < reversed.size(); ++m) {
    if (process_of(m) != process_of(reversed.rank())) continue;
    if (first < 0) first = m;
    if (m < reversed.rank()) ++index;
    ++members;
  }
  EXPECT_EQ(own.first, first);
  EXPECT_EQ(own.index, index);
  EXPECT_EQ(own.members, members);
  EXPECT_EQ(memory.leader(own.number), first);
  EXPECT_LE(members, own.most_members);
  memory.release();
}

JOB_TEST(team_memory, of_overlapping_teams_is_apart, 3) {
  if (!all_direct(here.world())) return;
  const team parity = here.world().split(here.rank() % 2, here.rank());
  const team backwards = here.world().split(0, -here.rank());
  team_memory first(here.world(), part_bytes);
  team_memory of_parity(parity, part_bytes);
  team_memory of_backwards(backwards, part_bytes);
  team_memory second(here.world(), part_bytes);
  use(here.world(), second);
  use(backwards, of_backwards);
  use(parity, of_parity);
  use(here.world(), first);
  of_parity.release();
  first.release();
  team_memory again(parity, part_bytes);
  use(parity, again);
  again.release();
  of_backwards.release();
  second.release();
}

JOB_TEST(team_memory, a_lack_in_one_process_is_told_to_all_and_the_team_goes_on) {
  if (!all_direct(here.world())) return;
  int lacks = -1;
  try {
    const team_memory memory(here.world(), [&](const process_group& group) {
      return group.number == group.processes - 1 ? std::size_t{1} << 50U : part_bytes;
    });
    ADD_FAILURE() << "a pebibyte was allocated";
  } catch (const error& e) {
    EXPECT_EQ(e.kind(), error_kind::system);
    const std::string said = e.what();
    const conduit::endpoint& at = host(here).endpoint();
    while (at.place(++lacks).process != at.place(here.size() - 1).process) continue;
    EXPECT_NE(said.find("rank " + std::to_string(lacks) + ": "), std::string::npos) << said;
  }
  team_memory memory(here.world(), part_bytes);
  use(here.world(), memory);
  memory.release();
}
