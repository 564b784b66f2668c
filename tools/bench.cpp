// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash bench NAME` starts this executable again as ranks (`upwash bench-rank NAME`), which run
// the bench; rank 0 prints.
#include "tools/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.hpp"
#include "tools/job_hosts.hpp"
#include "tools/rank_hosting.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/launch/launcher.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/start.hpp"

namespace upwash::tools {
namespace {

struct bench_arguments {
  std::string name;
  bool list = false;
  int ranks = 0;
  std::string conduit = "shm";
  std::string machine = "laptop";
  std::string bind = "core";
  rank_hosting hosting;
  job_hosts hosts;
  bool no_remote_writes = false;
  bench::options chosen;
};

const bench::entry& entry_named(const std::string& name) {
  if (const bench::entry* found = bench::find(name)) return *found;
  std::vector<std::string_view> names;
  for (const auto& each : bench::table()) names.push_back(each.name);
  const auto near = nearest_name(name, names);
  throw error(error_kind::argument,
              fmt::format("unknown bench \"{}\"{} (upwash bench --list names all)", name,
                          near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

int list_benches() {
  for (const auto& each : bench::table()) fmt::print("{:<20} {}\n", each.name, each.doc);
  return 0;
}

int start(const bench_arguments& arguments) {
  if (arguments.list) return list_benches();
  const bench::entry& entry = entry_named(arguments.name);
  const conduit::conduit_row on = conduit_named(arguments.conduit);
  int ranks = arguments.ranks;
  if (ranks == 0) {
    // On a simulated machine the first and the second half of the ranks are a node each.
    ranks = entry.default_ranks *
            (on.simulated ? std::max(1, load_machine(arguments.machine).ranks_in(level_kind::node))
                          : 1);
  }
  if (ranks < entry.least_ranks) {
    throw error(error_kind::argument, fmt::format("bench {} needs at least {} ranks; -n {} given",
                                                  entry.name, entry.least_ranks, ranks));
  }
  launch::launch_options options;
  options.program = {"/proc/self/exe", "bench-rank", std::string(entry.name),
                     fmt::format("--samples={}", arguments.chosen.samples),
                     fmt::format("--sample-ms={}", arguments.chosen.sample_seconds * 1e3)};
  options.program.push_back(fmt::format("--pairs={}", arguments.chosen.pairs));
  if (arguments.chosen.degree > 0) {
    options.program.push_back(fmt::format("--degree={}", arguments.chosen.degree));
  }
  if (!arguments.chosen.algorithm.empty()) {
    options.program.push_back("--algorithm=" + arguments.chosen.algorithm);
  }
  if (!arguments.chosen.replay.empty()) {
    options.program.push_back("--replay=" + arguments.chosen.replay);
  }
  if (!arguments.chosen.graph.empty()) {
    options.program.push_back("--graph=" + arguments.chosen.graph);
  }
  if (arguments.chosen.json) options.program.emplace_back("--json");
  for (const std::uint64_t bytes : arguments.chosen.bytes) {
    options.program.push_back(fmt::format("--bytes={}", bytes));
  }
  options.environment = {"UPWASH_CONDUIT=" + arguments.conduit};
  if (on.simulated) options.environment.push_back("UPWASH_MACHINE=" + arguments.machine);
  if (on.simulated && arguments.no_remote_writes) {
    options.environment.emplace_back("UPWASH_REMOTE_WRITES=0");
  }
  arguments.hosting.host(ranks, on, options);
  if (on.several_processes && arguments.bind == "core") options.bind = launch::binding::core;
  arguments.hosts.put(on, options);
  return upwash::start(on, options);
}

int run_rank(int argc, char** argv, const bench_arguments& arguments) {
  const bench::entry& entry = entry_named(arguments.name);
  return run(argc, argv, [&](job& here) {
    bench::context context(here, entry.name, arguments.chosen);
    entry.run(context);
  });
}

void add_common(CLI::App& command, bench_arguments& arguments) {
  command.add_flag("--json", arguments.chosen.json, "Print one JSON object per line");
  command
      .add_option("--bytes", arguments.chosen.bytes, "Sizes in bytes, in place of the bench's own")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40U));
  command.add_option("--samples", arguments.chosen.samples, "Number of samples of each row")
      ->check(CLI::Range(1, 100000));
  command
      .add_option("--pairs", arguments.chosen.pairs,
                  "multi-ping: number of pairs that exchange messages at the same time")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option(
      "--replay", arguments.chosen.replay,
      "matching: a recorded trace (CSV, or from UPWASH_MATCH_TRACE) in place of the patterns");
  command.add_option("--graph", arguments.chosen.graph,
                     "stream-unionfind: a square matrix (Matrix Market)");
  command
      .add_option("--degree", arguments.chosen.degree,
                  "neighbor-send, onesided: number of destinations of each rank")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--algorithm", arguments.chosen.algorithm,
                     "The algorithm to measure; without it, each in turn. Collectives: "
                     "NAME[:key=value,...], matching: ENGINE[/PARTITION], matched: a pattern, "
                     "streams: direct|auto|1d..4d[,buffer=N,threshold=X,...], onesided: "
                     "all-fence|fence-barrier|locks[:KIND]|server|speed");
  command.add_option_function<double>(
      "--sample-ms", [&arguments](double ms) { arguments.chosen.sample_seconds = ms * 1e-3; },
      "Target length of a sample in milliseconds");
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto arguments = std::make_shared<bench_arguments>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure the library and print the machine's floor next to each time");
  command->add_option("name", arguments->name, "The bench to run");
  command->add_flag("--list", arguments->list, "List all benches");
  command->add_option("-n,--ranks", arguments->ranks, "Number of ranks")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--conduit", arguments->conduit)->check(CLI::IsMember(conduit_names()));
  command->add_option("--machine", arguments->machine, "The simulated machine (conduit sim)");
  command->add_flag("--no-remote-writes", arguments->no_remote_writes,
                    "Conduit sim: owners serve puts and gets by messages");
  command->add_option("--bind", arguments->bind)->check(CLI::IsMember({"core", "none"}));
  arguments->hosting.add_to(*command);
  arguments->hosts.add_to(*command);
  add_common(*command, *arguments);
  command->callback([arguments, &status] { status = start(*arguments); });

  auto as_rank = std::make_shared<bench_arguments>();
  CLI::App* rank = app.add_subcommand("bench-rank", "")->group("");  // hidden: bench starts it
  rank->add_option("name", as_rank->name)->required();
  add_common(*rank, *as_rank);
  rank->callback([as_rank, &status] { status = run_rank(0, nullptr, *as_rank); });
}

}  // namespace upwash::tools
