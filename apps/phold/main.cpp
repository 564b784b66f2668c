// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// phold: discrete events of logical processes, each an object, by calls that may be aggregated.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/phold/run.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  phold::settings run;
  int processes_a_rank = 64;
  double event_ns = 0;
  bool compare = false;
  bool check = false;
};

int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  phold::model& of = chosen.run.of;
  CLI::App app("PHOLD, discrete events of logical processes, by objects", "phold");
  app.add_option("--processes-a-rank", chosen.processes_a_rank, "Logical ones")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--events", of.events, "Of each process, at the beginning")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--remote", of.remote, "Share of the events for a process drawn among all")
      ->check(apps::number_in(0, 1))
      ->capture_default_str();
  app.add_option("--lookahead", of.lookahead,
                 "An event is so much later than what made it; more: --mean")
      ->check(apps::number_in(0.001, 1000))
      ->capture_default_str();
  app.add_option("--mean", of.mean, "Of the exponential time on top")
      ->check(apps::number_in(0, 1000))
      ->capture_default_str();
  app.add_option("--end", of.end, "Time at which it ends")
      ->check(apps::number_in(0, 1e6))
      ->capture_default_str();
  app.add_option("--seed", of.seed)->capture_default_str();
  app.add_option("--way", chosen.run.way, "How events travel")
      ->check(CLI::IsMember(phold::ways()))
      ->capture_default_str();
  app.add_option("--buffer", chosen.run.buffer_bytes,
                 "Bytes of a buffer of aggregated calls; else streams choose")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--wander", chosen.run.wander,
                 "Processes go to a random rank once in so many windows; 0: never")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--event-ns", chosen.event_ns, "Of a simulated processor, an event")
      ->check(apps::number_in(0, 1e9))
      ->capture_default_str();
  app.add_flag("--compare", chosen.compare, "Run all ways in turn");
  app.add_flag("--check", chosen.check, "Compare with a run by one processor");
  return apps::read_command_line(here, app, argc, argv);
}

void print_one(const std::string& way, const phold::timed_outcome& one) {
  const double events = static_cast<double>(one.is.events);
  fmt::print("{:<14}{:>12.3f}{:>14.3f}{:>16.3f}\n", way, one.time.us() / 1e3,
             events / one.time.us(), static_cast<double>(one.messages) / events);
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  chosen.run.of.processes = chosen.processes_a_rank * here.size();
  chosen.run.event_time = upwash::duration::from_ns(chosen.event_ns);
  const std::vector<std::string> ways =
      chosen.compare ? phold::ways() : std::vector<std::string>{chosen.run.way};
  std::vector<phold::timed_outcome> all;
  for (const std::string& each : ways) {
    chosen.run.way = each;
    all.push_back(phold::run_by_objects(here, chosen.run));
  }
  if (here.rank() != 0) return 0;
  fmt::print("events: {} in {} windows, of {} processes on {} ranks\n", all[0].is.events,
             all[0].is.windows, chosen.run.of.processes, here.size());
  fmt::print("{:<14}{:>12}{:>14}{:>16}\n", "way", "ms", "M events/s", "messages/event");
  for (std::size_t i = 0; i < all.size(); ++i) print_one(ways[i], all[i]);
  if (!chosen.check) return 0;
  const phold::outcome wanted = phold::run_serially(chosen.run.of);
  std::string wrong;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is != wanted) wrong += (wrong.empty() ? "" : ", ") + ways[i];
  }
  fmt::print("verified: {}\n", wrong.empty() ? "yes" : "no, events differ by " + wrong);
  return wrong.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
