// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One report of a hanging job, from what ranks leave in its control block. The ranks are made up;
// the processes are this one, and one that has stopped.
#include "upwash/launch/detail/hang_gatherer.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "upwash/base/process_facts.hpp"

namespace upwash::launch::detail {
namespace {

class made_up_job {
 public:
  explicit made_up_job(int ranks) : made_up_job(ranks, ranks) {}
  made_up_job(int ranks, int processes)
      : fd_(memfd_create("hang", MFD_CLOEXEC)),
        block(control_block::create(fd_, job_map::here(ranks, processes))) {
    for (int p = 0; p < processes; ++p) block.slot(p).pid.store(getpid());
  }
  ~made_up_job() { close(fd_); }
  made_up_job(const made_up_job&) = delete;
  made_up_job& operator=(const made_up_job&) = delete;

  void answer(int rank, std::string_view operation, int peer = -1) const {
    observe::standing is;
    is.rank = rank;
    is.now = observe::doing::waits;
    is.operation = operation;
    is.peer = peer;
    is.waited_ps = duration::from_seconds(61).ps();
    block.standing(rank).write(is, block.header().question.load());
  }

 private:
  int fd_;

 public:
  control_block block;
};

duration at(double seconds) { return duration::from_seconds(seconds); }

TEST(hang_gatherer, reports_once_all_have_answered_and_not_again) {
  const made_up_job job(2);
  hang_gatherer gathers(job.block);
  EXPECT_FALSE(gathers.look(at(0)));
  EXPECT_EQ(job.block.header().question.load(), 0U) << "nobody hangs, nobody is asked";
  job.block.header().hangs.fetch_add(1);
  EXPECT_FALSE(gathers.look(at(1)));
  EXPECT_EQ(job.block.header().question.load(), 1U);
  job.answer(0, "receive", 1);
  EXPECT_FALSE(gathers.look(at(1.1))) << "rank 1 has not answered";
  job.answer(1, "receive", 0);
  const auto report = gathers.look(at(1.2));
  ASSERT_TRUE(report);
  EXPECT_EQ(*report,
            "rank 0 has waited in receive for 61.0 s; the 2 ranks of the job:\n"
            "  rank  what it does      peer  tag  team  number  bytes  for\n"
            "  0     waits in receive  1     -    -     -       -      61.0 s\n"
            "  1     waits in receive  0     -    -     -       -      61.0 s\n"
            "  conclusion: a cycle: rank 0 waits in receive for rank 1, which waits in receive for "
            "rank 0\n");
  EXPECT_FALSE(gathers.look(at(1.3)));

  // Rank 1's wait has lasted too long as well: nothing new.
  job.block.header().hangs.fetch_add(1);
  EXPECT_FALSE(gathers.look(at(2)));
  job.answer(0, "receive", 1);
  job.answer(1, "receive", 0);
  EXPECT_FALSE(gathers.look(at(2.1)));

  // Another state is told, and the same one where somebody asks.
  job.block.header().hangs.fetch_add(1);
  EXPECT_FALSE(gathers.look(at(3)));
  job.answer(0, "receive", 1);
  job.answer(1, "finish");
  EXPECT_TRUE(gathers.look(at(3.1)));
  gathers.ask();
  EXPECT_FALSE(gathers.look(at(4)));
  job.answer(0, "receive", 1);
  job.answer(1, "finish");
  EXPECT_TRUE(gathers.look(at(4.1)));
}

TEST(hang_gatherer, answers_to_whoever_asked_since_count_and_old_ones_never) {
  const made_up_job job(2);
  standing_gatherer first(job.block, 0, 2);
  first.ask(7, at(0));
  standing_gatherer second(job.block, 0, 2);  // as upwash status does, meanwhile
  second.ask(8, at(0.1));
  job.answer(0, "barrier");
  EXPECT_FALSE(first.look(at(0.2)));
  job.answer(1, "barrier");
  EXPECT_TRUE(first.look(at(0.3)));
  EXPECT_TRUE(second.look(at(0.3)));
  // The head of a job over hosts counts by itself, and is behind.
  first.ask(3, at(1));
  EXPECT_FALSE(first.look(at(1.1))) << "what was said to question 8 is old";
  job.answer(0, "finish");
  job.answer(1, "finish");
  const auto all = first.look(at(1.2));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->at(0).operation.view(), "finish");
}

TEST(hang_gatherer, a_wait_that_is_over_is_not_told) {
  const made_up_job job(1);
  hang_gatherer gathers(job.block);
  job.block.header().hangs.fetch_add(1);
  EXPECT_FALSE(gathers.look(at(0)));
  EXPECT_FALSE(gathers.look(at(60)));
}

TEST(hang_gatherer, a_process_that_does_not_answer_is_looked_at_from_outside) {
  const pid_t stopped = fork();
  if (stopped == 0) {
    for (;;) pause();
  }
  kill(stopped, SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(stopped, &status, WUNTRACED), stopped);
  const made_up_job job(4);
  job.block.slot(1).pid.store(stopped);
  job.block.slot(3).state.store(process_state::finished);
  hang_gatherer gathers(job.block);
  job.block.header().hangs.fetch_add(1);
  EXPECT_FALSE(gathers.look(at(0)));
  job.answer(0, "receive", 1);
  EXPECT_FALSE(gathers.look(at(1)));
  const auto report = gathers.look(at(5));
  kill(stopped, SIGKILL);
  waitpid(stopped, &status, 0);
  ASSERT_TRUE(report);
  const auto has = [&](const std::string& text) { return report->find(text) != std::string::npos; };
  const std::string pid = std::to_string(stopped);
  EXPECT_TRUE(has("\n  1     is stopped (pid " + pid + ")")) << *report;
  EXPECT_TRUE(has("\n  2     computes without calling the library (pid ")) << *report;
  EXPECT_TRUE(has("\n  3     has ended")) << *report;
  EXPECT_TRUE(has("rank 1 is stopped; kill -CONT " + pid + " lets it go on")) << *report;
}

// One glance is not enough: whoever sleeps wakes now and then.
TEST(hang_gatherer, one_that_runs_for_a_moment_sleeps) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  const auto until = [&](char state) {
    for (int i = 0; i < 5000 && run_state_of(child) != state; ++i) usleep(1000);
    return run_state_of(child) == state;
  };
  ASSERT_TRUE(until('S'));
  const made_up_job job(2);
  hang_gatherer gathers(job.block);
  job.block.header().hangs.fetch_add(1);
  EXPECT_FALSE(gathers.look(at(0)));
  job.answer(0, "receive", 1);
  // The test's own process runs whenever it looks, the child sleeps then.
  job.block.slot(1).pid.store(child);
  EXPECT_FALSE(gathers.look(at(0.25)));
  EXPECT_FALSE(gathers.look(at(0.5)));
  EXPECT_FALSE(gathers.look(at(1)));
  job.block.slot(1).pid.store(getpid());
  EXPECT_FALSE(gathers.look(at(1.5)));
  const auto report = gathers.look(at(5));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("\n  1     sleeps outside the library"), std::string::npos) << *report;
}

TEST(hang_gatherer, ranks_of_uneven_processes_stand_as_theirs) {
  const made_up_job job(5, 2);
  job.block.slot(1).state.store(process_state::finished);
  hang_gatherer gathers(job.block);
  job.block.header().hangs.fetch_add(1);
  EXPECT_FALSE(gathers.look(at(0)));
  job.answer(0, "receive", 1);
  EXPECT_FALSE(gathers.look(at(1)));
  const auto report = gathers.look(at(5));
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("\n  1, 2  computes without calling the library"), std::string::npos)
      << *report;
  EXPECT_NE(report->find("\n  3, 4  has ended"), std::string::npos) << *report;
}

TEST(hang_gatherer, one_that_keeps_its_process_is_told_from_those_in_line) {
  const made_up_job job(5, 2);
  job.block.slot(0).running.store(1);
  hang_gatherer gathers(job.block);
  job.block.header().hangs.fetch_add(1);
  EXPECT_FALSE(gathers.look(at(0)));
  job.answer(3, "receive", 1);
  job.answer(4, "receive", 3);
  const auto report = gathers.look(at(5));
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("\n  0, 2  waits in the line for its process "), std::string::npos)
      << *report;
  EXPECT_NE(report->find("\n  1     computes without calling the library"), std::string::npos)
      << *report;
}

}  // namespace
}  // namespace upwash::launch::detail
