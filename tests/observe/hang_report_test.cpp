// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The report of a hanging job on made-up states: its table, word for word, and what it concludes.
#include "upwash/observe/hang_report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace upwash::observe {
namespace {

using strings = std::vector<std::string>;

standing waiting(int rank, std::string_view operation, int peer = -1) {
  standing is;
  is.rank = rank;
  is.now = doing::waits;
  is.operation = operation;
  is.peer = peer;
  is.waited_ps = 2'000'000'000'000;
  is.teams_known = 1;  // the world: nothing begun
  return is;
}

/// In operation `number` of a series on the world, and so many begun.
standing in_collective(int rank, std::string_view operation, std::uint64_t number, series counted) {
  standing is = waiting(rank, operation);
  is.on_team = true;
  is.number = number;
  is.counted = counted;
  is.teams[0] = counted == series::barriers   ? team_counts{0, number, 0, 0, 0}
                : counted == series::controls ? team_counts{0, 0, number + 1, 0, 0}
                : counted == series::epochs   ? team_counts{0, 0, 0, 0, number}
                                              : team_counts{0, 0, 0, number + 1, 0};
  return is;
}

standing silent(int rank, doing now, int process) {
  standing is;
  is.rank = rank;
  is.now = now;
  is.process = process;
  return is;
}

TEST(hang_report, names_runs_of_ranks) {
  const std::vector<int> ranks{0, 1, 2, 4, 5, 7};
  EXPECT_EQ(name_ranks(ranks), "0-2, 4, 5, 7");
  EXPECT_EQ(name_ranks(ranks, 1), "0-2 and 3 more");
  EXPECT_EQ(name_ranks({}), "");
}

TEST(hang_report, shows_what_is_pending_at_the_ranks_that_say_most) {
  std::vector<standing> job;
  for (int rank = 0; rank < 6; ++rank) job.push_back(waiting(rank, "quiescence"));
  for (standing& one : job) one.pending = "a wave";
  job[0].pending = "";
  job[3].pending = "a wave; 2 calls of an object that is not there";
  job[5].pending = "a wave; a bracket";
  EXPECT_EQ(table_of(job),
            "  rank  what it does         peer  tag  team  number  bytes  for\n"
            "  0-5   waits in quiescence  -     -    -     -       -      2.0 s\n"
            "      pending at rank 1: a wave\n"
            "      pending at rank 3: a wave; 2 calls of an object that is not there\n"
            "      pending at rank 5: a wave; a bracket\n");
}

TEST(hang_report, who_never_called_a_barrier_is_named) {
  const std::vector<standing> job{in_collective(0, "barrier", 1, series::barriers),
                                  waiting(1, "finish")};
  EXPECT_EQ(conclusions(job),
            strings{"rank 1 never called barrier #1 of the world; it waits in finish"});
}

TEST(hang_report, who_never_came_to_the_end_of_a_stream_is_named) {
  const std::vector<standing> job{in_collective(0, "quiescence", 2, series::epochs),
                                  in_collective(1, "quiescence", 2, series::epochs),
                                  waiting(2, "receive", 0)};
  EXPECT_EQ(conclusions(job)[0],
            "rank 2 never called quiescence #2 of the world; it waits in receive");
}

TEST(hang_report, the_report_is_a_table_and_its_conclusions) {
  std::vector<standing> job{in_collective(0, "barrier", 1, series::barriers),
                            in_collective(1, "barrier", 1, series::barriers), waiting(2, "finish")};
  job[1].pending = "3 receives posted";
  job[1].waited_ps += 500'000'000'000;
  EXPECT_EQ(hang_report("upwash: it hangs:", job),
            "upwash: it hangs:\n"
            "  rank  what it does      peer  tag  team       number  bytes  for\n"
            "  0, 1  waits in barrier  -     -    the world  1       -      2.5 s\n"
            "      pending at rank 1: 3 receives posted\n"
            "  2     waits in finish   -     -    -          -       -      2.0 s\n"
            "  conclusion: rank 2 never called barrier #1 of the world; it waits in finish\n");
}

TEST(hang_report, ranks_that_wait_at_other_lines_are_told_apart) {
  std::vector<standing> job{waiting(0, "quiet"), waiting(1, "quiet"), waiting(2, "quiet")};
  job[0].set_place({"apps/a/main.cpp", 42});
  job[2].set_place({"main.cpp", 42});
  EXPECT_EQ(table_of(job),
            "  rank  what it does                   peer  tag  team  number  bytes  for\n"
            "  0, 2  waits in quiet at main.cpp:42  -     -    -     -       -      2.0 s\n"
            "  1     waits in quiet                 -     -    -     -       -      2.0 s\n");
}

TEST(hang_report, a_place_that_is_too_long_is_cut) {
  standing one = waiting(0, "quiet");
  one.set_place({});
  EXPECT_EQ(one.place.view(), "");
  one.set_place({"a_name.cpp", 0});
  EXPECT_EQ(one.place.view(), "") << "no line: unknown";
  const std::string name(100, 'x');
  one.set_place({name.c_str(), 7});
  std::string cut(76, 'x');
  EXPECT_EQ(one.place.view(), cut.append("..."));
}

TEST(hang_report, a_table_has_so_many_lines_and_says_what_it_leaves_out) {
  std::vector<standing> job;
  for (int rank = 0; rank < 30; ++rank) job.push_back(waiting(rank, "receive", (rank + 1) % 30));
  const std::string text = table_of(job, 10);
  EXPECT_NE(text.find("\n  9     waits in receive"), std::string::npos) << text;
  EXPECT_EQ(text.find("\n  10 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  and 20 more ranks\n"), std::string::npos) << text;
}

/// Whoever has begun a nonblocking operation, or has completed it already, has called it.
TEST(hang_report, who_has_begun_a_collective_is_not_said_to_have_missed_it) {
  std::vector<standing> job{in_collective(0, "broadcast", 3, series::collectives),
                            waiting(1, "receive")};
  job[1].teams[0].collectives = 4;
  EXPECT_EQ(conclusions(job), strings{});
  job[1].teams[0].collectives = 3;
  EXPECT_EQ(conclusions(job),
            strings{"rank 1 never called broadcast #3 of the world; it waits in receive"});
  job[1].teams_known = 0;  // nothing is known of its counts
  EXPECT_EQ(conclusions(job), strings{});
}

TEST(hang_report, only_members_can_be_missing) {
  std::vector<standing> job{in_collective(0, "all_reduce", 0, series::collectives),
                            waiting(1, "finish"), waiting(2, "finish")};
  job[0].team = 0x200000001;
  job[0].members_known = true;
  job[0].add_member(0);
  job[0].add_member(2);
  for (std::size_t r = 1; r < 3; ++r) {
    job[r].teams_known = 2;
    job[r].teams[1].team = job[0].team;
  }
  EXPECT_EQ(conclusions(job), strings{"rank 2 never called all_reduce #0 of team 0x200000001; it "
                                      "waits in finish"});
  job[0].members_known = false;
  EXPECT_EQ(conclusions(job), strings{});
}

TEST(hang_report, different_operations_of_one_number_are_told) {
  const std::vector<standing> job{in_collective(0, "broadcast", 3, series::collectives),
                                  in_collective(1, "reduce", 3, series::collectives)};
  EXPECT_EQ(conclusions(job), strings{"the members call different operations: rank 0 is in "
                                      "broadcast #3 of the world, rank 1 in reduce #3 of the "
                                      "world"});
}

TEST(hang_report, a_cycle_of_waits_is_told_from_its_first_rank) {
  const std::vector<standing> job{waiting(0, "receive", 1), waiting(1, "receive", 2),
                                  waiting(2, "send", 1)};
  EXPECT_EQ(conclusions(job), strings{"a cycle: rank 1 waits in receive for rank 2, which waits in "
                                      "send for rank 1"});
}

TEST(hang_report, a_chain_is_no_cycle) {
  const std::vector<standing> job{waiting(0, "receive", 1), waiting(1, "receive", 2),
                                  waiting(2, "receive")};
  EXPECT_EQ(conclusions(job), strings{});
}

TEST(hang_report, a_long_cycle_is_cut) {
  std::vector<standing> job;
  for (int rank = 0; rank < 100; ++rank) job.push_back(waiting(rank, "receive", (rank + 1) % 100));
  const strings said = conclusions(job);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find(" and so on, 100 ranks in all"), std::string::npos) << said[0];
}

TEST(hang_report, a_wait_for_a_rank_at_its_end_is_told) {
  std::vector<standing> job{waiting(0, "receive", 2), waiting(1, "receive", 2),
                            waiting(2, "finish")};
  EXPECT_EQ(conclusions(job),
            strings{"ranks 0, 1 wait in receive for rank 2, which waits in finish"});
  job[2].now = doing::ended;
  EXPECT_EQ(conclusions(job), strings{"ranks 0, 1 wait in receive for rank 2, which has ended"});
}

TEST(hang_report, a_stopped_rank_comes_first) {
  const std::vector<standing> job{in_collective(0, "barrier", 1, series::barriers),
                                  silent(1, doing::stopped, 77), waiting(2, "finish")};
  EXPECT_EQ(conclusions(job),
            (strings{"rank 1 is stopped; kill -CONT 77 lets it go on",
                     "rank 2 never called barrier #1 of the world; it waits in finish"}));
}

TEST(hang_report, who_computes_while_others_wait_is_told) {
  std::vector<standing> job{in_collective(0, "barrier", 1, series::barriers),
                            silent(1, doing::runs, 77)};
  EXPECT_EQ(conclusions(job), strings{"rank 1 computes without calling the library (pid 77); rank "
                                      "0 waits for it"});
  job[0] = waiting(0, "wait_until");  // for whom is not known
  EXPECT_EQ(conclusions(job), strings{});
}

TEST(hang_report, a_state_is_equal_whatever_the_time) {
  std::vector<standing> job{waiting(0, "receive", 1), silent(1, doing::runs, 77)};
  const std::uint64_t before = state_of(job);
  job[0].waited_ps *= 2;
  job[0].pending = "something";
  EXPECT_EQ(state_of(job), before);
  job[0].tag = 5;
  EXPECT_NE(state_of(job), before);
  job[0].tag = -1;
  job[1].now = doing::sleeps;
  EXPECT_NE(state_of(job), before);
}

TEST(hang_report, long_texts_are_cut) {
  short_text<8> text;
  text = "1234567";
  EXPECT_EQ(text.view(), "1234567");
  text = "12345678";
  EXPECT_EQ(text.view(), "1234...");
  text = "";
  EXPECT_EQ(text.view(), "");
}

}  // namespace
}  // namespace upwash::observe
