// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher: output, exit statuses, deaths, signals, and that nothing stays behind. Ranks are
// shells, or this test program again in the role that UPWASH_TEST_ROLE names.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/error.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/shm/shm_row.hpp"
#include "upwash/conduit/shm/shm_world.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/launch/knobs.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch {
namespace {

struct captured final : output_sink {
  struct entry {
    int rank;
    bool error;
    std::string text;
  };
  void line(int rank, bool standard_error, std::string_view text) override {
    entries.push_back({rank, standard_error, std::string(text)});
  }
  /// The launcher's own lines.
  [[nodiscard]] std::string own() const {
    std::string all;
    for (const auto& one : entries) {
      if (one.rank < 0) all += one.text;
    }
    return all;
  }
  std::vector<entry> entries;
};

struct outcome {
  int status = -1;
  captured output;
  double seconds = 0;
};

outcome start(launch_options options) {
  outcome result;
  options.output = &result.output;
  const duration begin = steady_now();
  result.status = launch(options);
  result.seconds = (steady_now() - begin).seconds();
  return result;
}

outcome shell(int ranks, const std::string& script) {
  launch_options options;
  options.ranks = ranks;
  options.program = {"sh", "-c", script};
  return start(options);
}

outcome role(int ranks, const std::string& name, const std::string& more = "UPWASH_LOG=warning") {
  launch_options options;
  options.ranks = ranks;
  options.program = {"/proc/self/exe", "--gtest_filter=launched_rank.*",
                     "--gtest_also_run_disabled_tests", "--gtest_brief=1"};
  options.environment = {"UPWASH_TEST_ROLE=" + name, more};
  return start(options);
}

bool lives(const std::string& pid) { return kill(std::stoi(pid), 0) == 0; }

TEST(launcher, whole_lines_come_with_their_rank_and_stream) {
  const auto result = shell(3, "echo out $UPWASH_BOOT_PROCESS; echo err >&2; printf 'no end'");
  EXPECT_EQ(result.status, 0);
  std::multiset<std::string> lines;
  for (const auto& one : result.output.entries) {
    lines.insert(std::to_string(one.rank) + (one.error ? "e:" : "o:") + one.text);
  }
  EXPECT_EQ(lines, (std::multiset<std::string>{"0o:out 0\n", "0e:err\n", "0o:no end", "1o:out 1\n",
                                               "1e:err\n", "1o:no end", "2o:out 2\n", "2e:err\n",
                                               "2o:no end"}));
}

TEST(launcher, prefix_names_the_ranks_of_the_process) {
  launch_options options;
  options.ranks = 5;
  options.processes = 2;
  options.prefix = true;
  options.program = {"echo", "hello"};
  const auto result = start(options);
  std::set<std::string> lines;
  for (const auto& one : result.output.entries) lines.insert(one.text);
  EXPECT_EQ(lines, (std::set<std::string>{"[0-2] hello\n", "[3-4] hello\n"}));
}

TEST(launcher, lines_of_uneven_processes_name_their_first_ranks) {
  launch_options options;
  options.ranks = 7;
  options.processes = 3;
  options.program = {"sh", "-c", "[ $UPWASH_BOOT_PROCESS = 2 ] && exit 7; sleep 100"};
  const auto result = start(options);
  EXPECT_EQ(result.status, 7);
  EXPECT_TRUE(std::regex_match(
      result.output.own(), std::regex("upwash: ranks 5 and 6 \\(pid \\d+\\) exited with status 7; "
                                      "job ended\n")))
      << result.output.own();
}

TEST(launcher, large_output_arrives_whole) {
  const auto result = shell(2, "seq 1 50000");
  std::size_t bytes = 0;
  for (const auto& one : result.output.entries) bytes += one.text.size();
  EXPECT_EQ(bytes, 2U * 288894);
  EXPECT_EQ(result.output.entries.size(), 100'000U);
}

TEST(launcher, first_failing_status_is_the_jobs_and_ends_the_others) {
  const auto result = shell(3, "[ $UPWASH_BOOT_PROCESS = 1 ] && exit 7; sleep 100");
  EXPECT_EQ(result.status, 7);
  EXPECT_LT(result.seconds, 5.0);
  EXPECT_TRUE(std::regex_match(result.output.own(),
                               std::regex("upwash: rank 1 \\(pid \\d+\\) exited with status 7; "
                                          "job ended\n")))
      << result.output.own();
}

TEST(launcher, killed_rank_is_named_with_its_signal) {
  const auto result = shell(3, "[ $UPWASH_BOOT_PROCESS = 2 ] && kill -9 $$; sleep 100");
  EXPECT_EQ(result.status, 137);
  EXPECT_TRUE(std::regex_match(
      result.output.own(),
      std::regex("upwash: rank 2 \\(pid \\d+\\) was killed by signal 9 \\(Killed\\); job "
                 "ended\n")))
      << result.output.own();
}

TEST(launcher, rank_killed_by_the_limit_of_files_is_told_that_memory_counts) {
  const auto result = shell(2, "[ $UPWASH_BOOT_PROCESS = 0 ] && kill -XFSZ $$; sleep 100");
  EXPECT_EQ(result.status, 128 + SIGXFSZ);
  EXPECT_NE(result.output.own().find("the limit of file sizes counts for the memory that ranks "
                                     "share, too; raise it (ulimit -f); job ended"),
            std::string::npos)
      << result.output.own();
}

TEST(launcher, grandchildren_do_not_survive) {
  // One in the process group, one in a session of its own, one whose parent is gone.
  const auto result =
      shell(2,
            "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; (setsid sh -c 'echo $$; exec "
            "sleep 1000' &); sleep 0.2; [ $UPWASH_BOOT_PROCESS = 0 ] && exit 3; wait");
  EXPECT_EQ(result.status, 3);
  int pids = 0;
  for (const auto& one : result.output.entries) {
    if (one.rank < 0) continue;
    ++pids;
    EXPECT_FALSE(lives(one.text)) << one.text;
  }
  EXPECT_EQ(pids, 6);
}

TEST(launcher, leftovers_of_a_job_that_ended_well_go_too) {
  const auto result = shell(1, "setsid sleep 1000 & echo $!");
  EXPECT_EQ(result.status, 0);
  ASSERT_EQ(result.output.entries.size(), 1U);
  EXPECT_FALSE(lives(result.output.entries[0].text));
  EXPECT_LT(result.seconds, 5.0);
}

TEST(launcher, program_that_cannot_be_started_is_told_from_one_that_fails) {
  launch_options options;
  options.ranks = 3;
  options.program = {"/no/such/program"};
  auto result = start(options);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output.own(),
            "upwash: cannot start '/no/such/program': No such file or directory\n");
  options.program = {"/etc/passwd"};
  result = start(options);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output.own(), "upwash: cannot start '/etc/passwd': Permission denied\n");
}

TEST(launcher, timeout_ends_the_job) {
  launch_options options;
  options.ranks = 2;
  options.timeout = duration::from_us(200'000);
  options.program = {"sleep", "1000"};
  const auto result = start(options);
  EXPECT_EQ(result.status, timeout_status);
  EXPECT_EQ(result.output.own(), "upwash: the time-out of 0.2 s has passed; job ended\n");
  EXPECT_LT(result.seconds, 3.0);
}

TEST(launcher, process_goes_on_only_where_it_was_told_to_be_stopped) {
  launch_options options;
  options.ranks = 2;
  options.processes = 1;
  options.program = {"sh", "-c",
                     "(for i in 1 2 3 4 5 6 7 8 9 10; do kill -STOP $$; kill -CONT $$; sleep 0.03; "
                     "done; kill -STOP $$; sleep 0.3; kill -CONT $$; sleep 0.3) & wait"};
  const auto result = start(options);
  EXPECT_EQ(result.status, 0);
  bool is_stopped = false;
  int lines = 0;
  for (const auto& each : result.output.entries) {
    const bool stops = each.text.find(" are stopped by signal ") != std::string::npos;
    EXPECT_TRUE(stops || each.text.find(") go on") != std::string::npos) << each.text;
    EXPECT_NE(stops, is_stopped) << each.text;
    is_stopped = stops;
    ++lines;
  }
  EXPECT_FALSE(is_stopped);
  EXPECT_GE(lines, 2);
}

TEST(launcher, signal_to_the_launcher_ends_the_job) {
  // The ranks' parent is this process while it launches.
  const auto result = shell(2, "[ $UPWASH_BOOT_PROCESS = 0 ] && kill -TERM $PPID; sleep 1000");
  EXPECT_EQ(result.status, 128 + SIGTERM);
  EXPECT_EQ(result.output.own(), "upwash: signal 15 (Terminated); job ended\n");
}

TEST(launcher, binding_gives_each_process_one_core) {
  launch_options options;
  options.ranks = 2;
  options.bind = binding::core;
  options.program = {"sh", "-c", "nproc"};
  const auto result = start(options);
  for (const auto& one : result.output.entries) EXPECT_LE(std::stoi(one.text), 2);
}

TEST(launcher, options_out_of_range_are_named) {
  const auto text = [](launch_options options) -> std::string {
    try {
      static_cast<void>(launch(options));
    } catch (const error& problem) {
      EXPECT_EQ(problem.exit_status(), 2);
      return problem.what();
    }
    return {};
  };
  launch_options options;
  options.program = {"true"};
  options.ranks = 0;
  EXPECT_EQ(text(options), "cannot start 0 ranks: expected 1 to 65536 (-n)");
  options.ranks = 4;
  options.processes = 5;
  EXPECT_EQ(text(options), "cannot put 4 ranks into 5 processes: expected 1 to 4");
  options.processes = 4;
  options.program.clear();
  EXPECT_EQ(text(options), "no program to start");
}

// -- Ranks that join the job ----------------------------------------------------------------------

TEST(launcher, ranks_that_finish_end_well) {
  const auto result = role(3, "finish");
  EXPECT_EQ(result.status, 0) << result.output.own();
  EXPECT_EQ(result.output.own(), "");
}

TEST(launcher, rank_that_exits_without_finishing_ends_the_job) {
  const auto result = role(3, "early");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(std::regex_match(result.output.own(),
                               std::regex("upwash: rank 1 \\(pid \\d+\\) exited with status 0 "
                                          "before it had finished; job ended\n")))
      << result.output.own();
}

TEST(launcher, process_that_leaves_before_joining_others_ends_the_job) {
  const auto result = role(2, "absent");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(std::regex_match(result.output.own(),
                               std::regex("upwash: rank 1 \\(pid \\d+\\) exited with status 0 "
                                          "before it had joined the job; job ended\n")))
      << result.output.own();
}

TEST(launcher, abort_is_printed_once) {
  const auto result = role(3, "abort");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output.own(), "upwash: rank 1: out of luck; job ended\n");
  for (const auto& one : result.output.entries) {
    EXPECT_TRUE(one.rank < 0 || one.text.find("out of luck") == std::string::npos);
  }
}

TEST(launcher, status_after_a_good_finish_is_the_jobs_without_a_line) {
  const auto result = role(3, "finish", "UPWASH_TEST_STATUS=4");
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.output.own(), "");
}

TEST(launcher, start_that_fails_everywhere_alike_is_told_once) {
  const auto result = role(4, "unstarted");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output.own(), "upwash: cannot start at all\n");
}

TEST(launcher, rank_is_not_named_twice) {
  EXPECT_EQ(failure_line(2, "rank 2: too far"), "rank 2: too far; job ended");
  EXPECT_EQ(failure_line(2, "rank 21: too far"), "rank 2: rank 21: too far; job ended");
  EXPECT_EQ(failure_line(2, "too far"), "rank 2: too far; job ended");
  EXPECT_EQ(failure_line(-1, "no such machine"), "no such machine");
}

TEST(launcher, rank_killed_in_the_middle_ends_waiting_ranks) {
  const auto result = role(3, "killed");
  EXPECT_EQ(result.status, 137);
  EXPECT_LT(result.seconds, 5.0);
  EXPECT_NE(result.output.own().find("rank 1"), std::string::npos);
}

TEST(launcher, missing_process_is_named_after_the_start_timeout) {
  const auto result = role(2, "late", "UPWASH_START_TIMEOUT=200ms");
  EXPECT_EQ(result.status, 1);
  const auto said =
      std::any_of(result.output.entries.begin(), result.output.entries.end(), [](const auto& one) {
        return one.text.find(
                   "start_timeout has passed while process 0 of 2 waited for process 1 "
                   "(start_timeout 0.2 s, UPWASH_START_TIMEOUT)") != std::string::npos;
      });
  EXPECT_TRUE(said);
}

settings launched_values() {
  knob_table table;
  base_knobs(table);
  launch_knobs(table);
  table.add(conduit::shm_row().knobs);
  table.add(conduit::process_knobs());
  const knob conduit_row{"conduit", knob_type::text, "shm", "set by upwash run"};
  table.add({&conduit_row, 1});
  return settings::from_environment(table);
}

/// Takes and drops whatever comes.
struct drain final : conduit::sink {
  void deliver(const conduit::message& /*m*/) override {}
};

/// Sends to the next rank and waits in turns, as a program that is killed in the middle would; or
/// only waits.
[[noreturn]] void talk_for_ever(conduit::bootstrap& boot, const settings& values, bool silent) {
  const auto world = conduit::make_shm_world(boot, values);
  std::vector<drain> drains(static_cast<std::size_t>(world->local_ranks()));
  std::printf("talking\n");
  std::fflush(stdout);
  world->run([&](int rank) {
    auto& end = world->endpoint_of(rank);
    end.attach(rank, &drains[static_cast<std::size_t>(rank - world->first_rank())]);
    for (;;) {
      conduit::message m;
      m.source = rank;
      m.destination = (rank + 1) % world->size();
      if (silent || end.send(m, false).what == conduit::outcome::retry) {
        end.poll(rank);

        world->waiter_of(rank).idle(rank, conduit::wait_target::credit(0, m.kind), {});
      }
    }
  });
  std::abort();
}

/// Not a test: what a rank does that this program launches.
TEST(launched_rank, DISABLED_plays_its_role) {
  const char* named = std::getenv("UPWASH_TEST_ROLE");
  if (named == nullptr) GTEST_SKIP() << "only as a launched rank";
  const std::string role = named;
  const settings values = launched_values();
  const auto process = values.integer("boot_process");
  if (role == "absent" && process == 1) _exit(0);
  if (role == "late" && process == 1) sleep(100);
  if (role == "unstarted") abort_start(2, "cannot start at all");
  std::unique_ptr<conduit::bootstrap> boot;
  try {
    boot = make_bootstrap(values);
    boot->barrier();
    if (role == "early" && process == 1) _exit(0);
    if (role == "abort" && process == 1) boot->abort(1, 3, "out of luck");
    if (role == "killed" && process == 1) raise(SIGKILL);
    if (role != "finish") talk_for_ever(*boot, values, role == "wait");
    const auto mine = static_cast<std::uint64_t>(process * process);
    std::vector<std::uint64_t> all(static_cast<std::size_t>(boot->process_count()));
    for (int i = 0; i < 20; ++i) {
      boot->exchange(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
      for (std::size_t p = 0; p < all.size(); ++p) ASSERT_EQ(all[p], p * p);
    }
    static_cast<void>(conduit::make_shm_world(*boot, values));
    boot->finished();
    const char* status = std::getenv("UPWASH_TEST_STATUS");
    if (status != nullptr && process == 1) _exit(std::atoi(status));
  } catch (const error& problem) {
    // As a program does; a death that was seen meanwhile is the better reason.
    if (boot && !boot->failed()) boot->abort(-1, problem.exit_status(), problem.what());
    if (!boot) std::fprintf(stderr, "%s\n", problem.what());
    _exit(problem.exit_status());
  }
}

}  // namespace
}  // namespace upwash::launch
