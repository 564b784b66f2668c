// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects saved, and loaded on as many members and on others.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/objects/notes.hpp"

namespace {

using namespace upwash;
using namespace upwash::test;

}  // namespace

JOB_TEST(object_checkpoint, loads_what_was_saved_on_other_numbers_of_members, .most_ranks = 7) {
  const team& world = here.world();
  const job_folder folder(here);
  const std::string path = folder / "state";
  notes first(world, {.name = "notes", .ordered = true});
  first.fill(numbers(40), 17U);
  for (int i = 0; i < 40; ++i) {
    first[i].send<&note::mark>(here.rank());
    if (i % here.size() == here.rank()) first[i].send<&note::wander>(i % 3 % here.size());
  }
  const checkpoint_result saved = first.save(path, {.type = "notes 1"});
  EXPECT_EQ(saved.objects, 40U);
  const std::uint64_t expected = sum_of(first, world);
  const team part = world.split(here.rank() % 3 == 0 ? 0 : -1, 0);
  if (part) {
    notes second(part, {.name = "notes", .ordered = true});
    const checkpoint_result loaded = second.load(path, {.type = "notes 1"});
    EXPECT_EQ(loaded.objects, saved.objects);
    EXPECT_EQ(loaded.bytes, saved.bytes);
    EXPECT_EQ(sum_of(second, part), expected);
    second.for_each_here([&](note& one) {
      EXPECT_EQ(notes::by_hash(one.index(), part.size()), part.rank()) << "they are at home";
    });
    control::barrier(part);
    // They go on as objects do: called in order, migrating, saved again.
    for (const int i : numbers(40)) second[i].send<&note::wander>((i + 1) % part.size());
    for (const int i : numbers(40)) second[i].send<&note::mark>(100 + part.rank());
    second.save(folder / "again", {.type = "notes 1"});
    control::barrier(part);
  }
  control::barrier(world);
  notes third(world, {.name = "notes"});
  third.load(folder / "again", {.type = "notes 1"});
  third.for_each_here([&](note& one) {
    EXPECT_EQ(one.marks.size(), static_cast<std::size_t>(here.size() + (here.size() + 2) / 3));
  });
}

JOB_TEST(object_checkpoint, loads_to_old_members_where_wanted, .most_ranks = 7) {
  const job_folder folder(here);
  notes first(here.world(), {.name = "notes"});
  first.fill(numbers(20), 1U);
  for (int i = 0; i < 20; ++i) {
    if (here.rank() == 0) first[i].send<&note::wander>(i % here.size());
  }
  first.save(folder / "state");
  notes second(here.world(), {.name = "notes"});
  second.load(folder / "state", {.type = "", .to_old_members = true});
  second.for_each_here([&](note& one) { EXPECT_EQ(one.index() % here.size(), here.rank()); });
  // Homes know where they are.
  for (int i = 0; i < 20; ++i) second[i].send<&note::mark>(here.rank());
  second.quiet();
  second.for_each_here(
      [&](note& one) { EXPECT_EQ(one.marks.size(), static_cast<std::size_t>(here.size())); });
}

JOB_TEST(object_checkpoint, calls_made_before_wait_for_what_is_loaded, .most_ranks = 7) {
  const job_folder folder(here);
  notes first(here.world(), {.name = "notes"});
  first.fill(numbers(9), 1U);
  for (int i = 0; i < 9; ++i) first[i].send<&note::wander>((i + 1) % here.size());
  first.save(folder / "state");
  notes second(here.world(), {.name = "notes"});
  for (int i = 0; i < 9; ++i) second[i].send<&note::mark>(1);
  second.broadcast<&note::mark>(2);
  second.load(folder / "state", {.type = "", .to_old_members = true});
  second.for_each_here([&](note& one) {
    EXPECT_EQ(std::ranges::count(one.marks, 1), here.size());
    EXPECT_EQ(std::ranges::count(one.marks, 2), here.size());
  });
}

JOB_TEST(object_checkpoint, a_newer_one_takes_the_place_of_the_older, .most_ranks = 7) {
  const job_folder folder(here);
  const std::string path = folder / "state";
  notes all(here.world(), {.name = "notes"});
  all.fill(numbers(5), 1U);
  for (int turn = 0; turn < 3; ++turn) {
    if (here.rank() == 0) all[turn].send<&note::end>();
    EXPECT_EQ(all.save(path).objects, static_cast<std::uint64_t>(4 - turn));
    control::barrier(here.world());
    EXPECT_EQ(folder.names().size(), 1U + static_cast<std::size_t>(here.size()))
        << "a header, a file of each member, nothing old";
    control::barrier(here.world());
  }
  notes other(here.world(), {.name = "notes"});
  EXPECT_EQ(other.load(path).objects, 2U);
}

JOB_TEST(object_checkpoint, is_saved_between_reductions_and_they_go_on, .most_ranks = 7) {
  const job_folder folder(here);
  const std::string path = folder / "state";
  notes all(here.world(), {.name = "notes"});
  all.fill(numbers(5), 1U);
  if (here.rank() == 0) {
    all.broadcast<&note::give>();
    all[3].send<&note::give>();
  }
  const std::string said = said_by_save(all, path);
  EXPECT_TRUE(
      says(said, " of notes: the checkpoint " + path + " is saved in the middle of a reduction"))
      << said;
  for (const int i : {0, 1, 2, 4}) {
    if (here.rank() == 0) all[i].send<&note::give>();
  }
  all.save(path);
  notes other(here.world(), {.name = "notes"});
  other.load(path);
  if (here.rank() == 0) other.broadcast<&note::give>();
  other.quiet();
  other.for_each_here([](note& one) {
    EXPECT_EQ(one.marks, one.index() == 0 ? (std::vector{5, 5, 5}) : std::vector<int>());
  });
}

JOB_TEST(object_checkpoint, of_no_objects_is_one_too, .most_ranks = 7) {
  const job_folder folder(here);
  notes none(here.world(), {.name = "notes"});
  EXPECT_EQ(none.save(folder / "state").objects, 0U);
  notes other(here.world(), {.name = "notes"});
  EXPECT_EQ(other.load(folder / "state").objects, 0U);
  other.fill(numbers(3), 1U);
  EXPECT_EQ(all_reduce<sum>(here.world(), blocking, other.size_here()), 3U);
}

JOB_TEST(object_checkpoint, large_states_come_back, .most_ranks = 7) {
  const job_folder folder(here);
  notes all(here.world(), {.name = "notes"});
  all.fill(numbers(4), 1U);
  all.for_each_here([](note& one) {
    random_stream from(3, static_cast<std::uint64_t>(one.index()));
    one.text.clear();
    for (int i = 0; i < 300'000; ++i) one.text.push_back(static_cast<char>(from.next()));
  });
  all.save(folder / "state");
  notes other(here.world(), {.name = "notes"},
              [](const int& i, int members) { return (i + 1) % members; });
  other.load(folder / "state");
  const std::uint64_t before = sum_of(all, here.world());
  EXPECT_EQ(sum_of(other, here.world()), before);
}

JOB_TEST(object_checkpoint, removes_what_older_ones_left_and_nothing_else, .most_ranks = 7) {
  const job_folder folder(here);
  const std::string path = folder / "state";
  notes all(here.world(), {.name = "notes"});
  all.fill(numbers(5), 1U);
  all.save(path);
  // Of one with more members, of one that was killed while it wrote, of nobody's concern.
  const std::vector<std::string> left{"state.1.77", "state.2.77", "state.3.0", "state.new"};
  const std::vector<std::string> others{"state.1",    "state.01.2", "state.1.2.3", "state.1.x",
                                        "state.1.2~", "stat.1.2",   "states.1.2",  "state.5.6"};
  if (here.rank() == 0) {
    for (const std::string& each : left) put(folder / each, "left");
    for (const std::string& each : others) put(folder / each, "other");
    put(folder / "state.5.6", bytes_of(path));  // a checkpoint of its own
  }
  control::barrier(here.world());
  all.save(path);
  std::vector<std::string> expected = others;
  expected.emplace_back("state");
  for (int member = 0; member < here.size(); ++member) {
    expected.push_back("state.2." + std::to_string(member));
  }
  std::ranges::sort(expected);
  EXPECT_EQ(folder.names(), expected);
  control::barrier(here.world());
  notes again(here.world(), {.name = "notes"});
  EXPECT_EQ(again.load(path).objects, 5U);
}

JOB_TEST(object_checkpoint, behind_a_link_is_replaced_and_the_link_stays, .most_ranks = 7) {
  const job_folder folder(here);
  const std::string link = folder / "latest";
  if (here.rank() == 0) fs::create_symlink("state", link);
  control::barrier(here.world());
  const team& world = here.world();
  notes all(world, {.name = "notes"});
  all.fill(numbers(5), 1U);
  for (int turn = 0; turn < 2; ++turn) all.save(link);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder / "state")));
  for (const std::string& path : {link, folder / "state"}) {
    notes again(world, {.name = "notes"});
    EXPECT_EQ(again.load(path).objects, 5U);
  }
  EXPECT_EQ(folder.names().size(), 2U + static_cast<std::size_t>(here.size()));
  control::barrier(world);  // the folder goes with its first owner
}

JOB_TEST(object_checkpoint, that_cannot_be_written_removes_nothing, .most_ranks = 7) {
  const job_folder folder(here);
  const std::string path = folder / "state";
  notes all(here.world(), {.name = "notes"});
  all.fill(numbers(5), 1U);
  all.save(path);
  if (here.rank() == 0) {
    put(folder / "state.1.77", "left");
    fs::create_directory(folder / "state.2.0");  // the file of member 0 cannot be made
  }
  control::barrier(here.world());
  EXPECT_TRUE(says(said_by_save(all, path), "state.2.0 cannot be made"));
  EXPECT_TRUE(fs::exists(folder / "state.1.77"));
  notes again(here.world(), {.name = "notes"});
  EXPECT_EQ(again.load(path).objects, 5U);
}
