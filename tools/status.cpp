// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tools/top_screen.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/printable.hpp"
#include "upwash/base/text_words.hpp"
#include "upwash/launch/job_view.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::tools {
namespace {

constexpr auto patience = duration::from_ps(2'000'000'000'000);

[[noreturn]] void wrong(const std::string& text) { throw error(error_kind::argument, text); }

/// The job that is meant: the one named, or the only one.
launch::running_job chosen_job(int launcher) {
  const auto all = launch::running_jobs();
  for (const launch::running_job& each : all) {
    if (each.launcher == launcher || (launcher == 0 && all.size() == 1)) return each;
  }
  if (launcher != 0) {
    wrong(fmt::format("process {} is no launcher of a job of yours; upwash status lists them",
                      launcher));
  }
  if (all.empty()) wrong("no job of yours runs here under upwash run");
  wrong(fmt::format("{} jobs run here: name one by its launcher; upwash status lists them",
                    all.size()));
}

void list(const std::vector<launch::running_job>& all) {
  for (const launch::running_job& each : all) {
    fmt::print("{:>8}  {:>6} rank{}  {}\n", each.launcher, each.ranks, each.ranks == 1 ? " " : "s",
               each.command);
  }
}

void print_status(int launcher) {
  if (launcher == 0) {
    const auto all = launch::running_jobs();
    if (all.size() > 1) return list(all);
  }
  const launch::running_job job = chosen_job(launcher);
  launch::job_view view(job.launcher);
  const std::string report = observe::hang_report(
      fmt::format("job {}: {}", job.launcher, job.command), view.ask(patience));
  fmt::print("{}", printable(report, true));
}

struct top_options {
  int launcher = 0;
  std::string interval = "1s";
  int times = 0;
};

void watch(const top_options& chosen) {
  const duration interval = parse_duration(chosen.interval, "--interval");
  if (interval < duration::from_us(50'000)) {
    wrong(fmt::format("--interval {}: expected a time of 50 ms or more, as 2s", chosen.interval));
  }
  const launch::running_job job = chosen_job(chosen.launcher);
  launch::job_view view(job.launcher);
  top_screen screen(job);
  for (int turn = 0; chosen.times == 0 || turn < chosen.times; ++turn) {
    const duration next = steady_now() + interval;
    if (!view.runs()) return fmt::print("job {} has ended\n", job.launcher);
    screen.show(view, std::min(interval, patience));
    while (steady_now() < next && view.runs()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

struct debugger_options {
  int rank = 0;
  int launcher = 0;
  std::string debugger = "gdb -p";
};

/// Becomes the debugger.
void attach(const debugger_options& chosen) {
  const launch::running_job job = chosen_job(chosen.launcher);
  const launch::job_view view(job.launcher);
  if (chosen.rank < 0 || chosen.rank >= view.ranks()) {
    wrong(fmt::format("rank {}: job {} has ranks 0 to {}", chosen.rank, job.launcher,
                      view.ranks() - 1));
  }
  const int pid = view.process_of(chosen.rank);
  if (pid == 0) {
    wrong(fmt::format("rank {} has no process on this host (yet)", chosen.rank));
  }
  if (const int beside = view.ranks_beside(chosen.rank); beside > 1) {
    fmt::print(stderr,
               "upwash: rank {} is one of {} fibers of process {}; only the one that runs "
               "has its stack in a thread\n",
               chosen.rank, beside, pid);
  }
  std::vector<std::string> words = words_of(chosen.debugger);
  words.push_back(fmt::to_string(pid));
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw error(error_kind::environment,
              fmt::format("cannot start {}: {}; name a debugger by --debugger, as 'lldb -p'",
                          words[0], std::strerror(errno)));
}

template <class Options>
void add_job(CLI::App& command, Options& chosen, const char* name = "job") {
  command.add_option(name, chosen.launcher,
                     "Process of the upwash run (default: the only running job)");
}

}  // namespace

void add_status(CLI::App& app) {
  struct launcher_option {
    int launcher = 0;
  };
  auto* status = app.add_subcommand(
      "status", "Print what the ranks of a running job wait for; without a job, list the jobs");
  auto asked = std::make_shared<launcher_option>();
  add_job(*status, *asked);
  status->callback([asked] { print_status(asked->launcher); });

  auto* top =
      app.add_subcommand("top", "Show the activity of the ranks of a running job, refreshed");
  auto seen = std::make_shared<top_options>();
  add_job(*top, *seen);
  top->add_option("--interval", seen->interval, "Time between two refreshes")
      ->capture_default_str();
  top->add_option("--times", seen->times, "Number of refreshes; 0: until the job ends")
      ->check(CLI::NonNegativeNumber);
  top->callback([seen] { watch(*seen); });

  auto* debugger =
      app.add_subcommand("attach-debugger", "Attach a debugger to the process of a rank");
  auto wanted = std::make_shared<debugger_options>();
  debugger->add_option("rank", wanted->rank, "Rank of the world")->required();
  add_job(*debugger, *wanted, "--job");
  debugger
      ->add_option("--debugger", wanted->debugger,
                   "The command of the debugger; the process number is appended")
      ->capture_default_str();
  debugger->callback([wanted] { attach(*wanted); });
}

}  // namespace upwash::tools
