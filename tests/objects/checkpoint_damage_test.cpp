// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints that do not fit or are not as they were written, and disks that refuse.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/harness/worlds.hpp"
#include "tests/objects/notes.hpp"

namespace {

using namespace upwash;
using namespace upwash::test;

/// Of another index, of as many bytes in its state.
struct wide : object<std::int64_t> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(value);
  }
  std::uint64_t value = 0;
};

/// Reads less than a note writes.
struct shorter : object<int> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(value);
  }
  std::uint64_t value = 0;
};

}  // namespace

JOB_TEST(object_checkpoint, what_does_not_fit_is_refused_by_name_at_all_members, .most_ranks = 7) {
  const team& world = here.world();
  const job_folder folder(here);
  const std::string path = folder / "state";
  notes first(world, {.name = "notes"});
  first.fill(numbers(6), 1U);
  first.save(path, {.type = "notes 1"});
  {
    notes into(world, {.name = "notes"});
    const std::string other = said_by_load(into, path, {.type = "notes 2"});
    EXPECT_TRUE(says(other, "is of type \"notes 1\", but \"notes 2\" is loaded")) << other;
    const std::string missing = said_by_load(into, path + "_not");
    EXPECT_TRUE(says(missing, "state_not cannot be read: No such file")) << missing;
    const std::string is_folder = said_by_load(into, folder / ".");
    EXPECT_TRUE(says(is_folder, "is no regular file")) << is_folder;
    const std::string device = said_by_load(into, "/dev/zero");
    EXPECT_TRUE(says(device, "is no regular file")) << device;
    const std::string nowhere = said_by_load(into, "");
    EXPECT_TRUE(says(nowhere, "cannot be read")) << nowhere;
    const std::string long_type = said_by_load(into, path, {.type = std::string(1025, 'x')});
    EXPECT_TRUE(says(long_type, "1025 bytes; at most 1024")) << long_type;
    into.load(path, {.type = "notes 1"});
    const std::string twice = said_by_load(into, path, {.type = "notes 1"});
    EXPECT_TRUE(says(twice, "the array has, or had, objects")) << twice;
  }
  object_array<wide> of_wide(world, {.name = "wide"});
  const std::string index = said_by_load(of_wide, path, {.type = "notes 1"});
  EXPECT_TRUE(says(index, "has indices of 4 bytes; those of this array have 8")) << index;
  object_array<shorter> of_less(world, {.name = "shorter"});
  const std::string state = said_by_load(of_less, path, {.type = "notes 1"});
  EXPECT_TRUE(says(state, "has another state: archive: ")) << state;
  EXPECT_EQ(of_less.size_here(), 0U);
  of_less.fill(numbers(2));
  of_less.quiet();
}

JOB_TEST(object_checkpoint, a_disk_that_refuses_leaves_the_old_one_whole, .most_ranks = 7) {
  const team& world = here.world();
  const job_folder folder(here);
  const std::string path = folder / "state";
  notes all(world, {.name = "notes"}, [](const int& i, int members) { return i % members; });
  all.fill(numbers(here.size()), 1U);
  all.save(path);
  const std::uint64_t old = sum_of(all, world);
  all.broadcast<&note::mark>(1);
  const std::string last = std::to_string(here.size() - 1);
  // The next checkpoint's names lead to a full disk: one member's file, then the header.
  for (const std::string& full : {path + ".2." + last, path + ".new"}) {
    if (here.rank() == 0) {
      EXPECT_EQ(symlink("/dev/full", full.c_str()), 0);
    }
    control::barrier(world);
    const std::string said = said_by_save(all, path);
    EXPECT_TRUE(says(said, full + " cannot be written: No space left on device")) << said;
    control::barrier(world);
    EXPECT_EQ(folder.names().size(), 1U + static_cast<std::size_t>(here.size()));
    notes into(world, {.name = "notes"});
    into.load(path);
    EXPECT_EQ(sum_of(into, world), old);
  }
  const std::string said = said_by_save(all, folder / "no/where");
  EXPECT_TRUE(says(said, "no/where.1.0 cannot be made: No such file")) << said;
  // Not over what is no checkpoint.
  if (here.rank() == 0) put(folder / "mine", "a letter of mine, much longer than a header begins");
  const std::string foreign = said_by_save(all, folder / "mine");
  EXPECT_TRUE(says(foreign, "is no checkpoint")) << foreign;
  EXPECT_TRUE(says(foreign, "remove it, or save elsewhere")) << foreign;
  all.save(path);
  notes into(world, {.name = "notes"});
  into.load(path);
  const std::uint64_t now = sum_of(all, world);
  EXPECT_EQ(sum_of(into, world), now);
  EXPECT_NE(now, old);
}

namespace {

/// Whether what is there now is refused, and says what was damaged, or loads as it was.
void expect_refused_or_same(job& here, const std::string& path, std::uint64_t expected,
                            const std::string& damage) {
  notes into(here.world(), {.name = "notes"});
  const std::string said = said_by_load(into, path);
  if (said == "no error") {
    EXPECT_EQ(sum_of(into, here.world()), expected) << damage;
  } else {
    EXPECT_TRUE(says(said, path)) << damage << ": " << said;
    EXPECT_EQ(into.size_here(), 0U) << damage;
  }
}

}  // namespace

TEST(object_checkpoint_damage, each_byte_is_refused_or_makes_no_difference) {
  const auto world = test::sim_of(2);
  EXPECT_EQ(test::message_of(
                *world,
                [&](job& here) {
                  const job_folder folder(here);
                  const std::string path = folder / "state";
                  notes all(here.world(), {.name = "notes"});
                  all.fill(numbers(4), 1U);
                  all.save(path);
                  const std::uint64_t expected = sum_of(all, here.world());
                  for (const std::string& file : {path, path + ".1.0", path + ".1.1"}) {
                    const std::string whole = bytes_of(file);
                    EXPECT_GT(whole.size(), 20U);
                    for (std::size_t at = 0; at < whole.size(); ++at) {
                      for (const int flip : {1, 0x80, 0xff}) {
                        std::string damaged = whole;
                        damaged[at] = static_cast<char>(damaged[at] ^ flip);
                        if (here.rank() == 0) put(file, damaged);
                        control::barrier(here.world());
                        expect_refused_or_same(here, path, expected,
                                               file + " byte " + std::to_string(at));
                        control::barrier(here.world());
                      }
                      if (here.rank() == 0) put(file, whole.substr(0, at));
                      control::barrier(here.world());
                      notes into(here.world(), {.name = "notes"});
                      const std::string cut = said_by_load(into, path);
                      EXPECT_TRUE(says(cut, path)) << file << " cut at " << at << ": " << cut;
                      control::barrier(here.world());
                    }
                    if (here.rank() == 0) put(file, whole + "more");
                    control::barrier(here.world());
                    notes into(here.world(), {.name = "notes"});
                    EXPECT_TRUE(says(said_by_load(into, path), path)) << file;
                    control::barrier(here.world());
                    if (here.rank() == 0) fs::remove(file);
                    control::barrier(here.world());
                    EXPECT_TRUE(says(said_by_load(into, path), "cannot be read: No such file"))
                        << file;
                    control::barrier(here.world());
                    if (here.rank() == 0) put(file, whole);
                    control::barrier(here.world());
                  }
                  notes into(here.world(), {.name = "notes"});
                  into.load(path);
                  EXPECT_EQ(sum_of(into, here.world()), expected);
                }),
            "no error");
}

TEST(object_checkpoint_damage, versions_and_byte_orders_are_named) {
  const auto world = test::sim_of(2);
  EXPECT_EQ(
      test::message_of(
          *world,
          [&](job& here) {
            const job_folder folder(here);
            const std::string path = folder / "state";
            notes all(here.world(), {.name = "notes"});
            all.save(path);
            const std::string whole = bytes_of(path);
            const auto said_of = [&](std::string changed) {
              if (here.rank() == 0) put(path, changed);
              control::barrier(here.world());
              notes into(here.world(), {.name = "notes"});
              return said_by_load(into, path);
            };
            std::string newer = whole;
            newer[12] = 9;
            std::string said = said_of(newer);
            EXPECT_TRUE(says(said, "is of version 9; this program reads version 1")) << said;
            std::string other = whole;
            std::reverse(other.begin() + 8, other.begin() + 12);
            said = said_of(other);
            EXPECT_TRUE(says(said, "was written on a machine of the other byte order")) << said;
            said = said_of("hello");
            EXPECT_TRUE(says(said, "notes, member 0: the checkpoint " + path + " is no checkpoint"))
                << said;
            said = said_of("");
            EXPECT_TRUE(says(said, "is no checkpoint")) << said;
          }),
      "no error");
}
