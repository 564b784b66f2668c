// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of `upwash tune`. It starts this executable again as ranks (`upwash tune-rank`).
#include "tools/tune.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "tools/job_hosts.hpp"
#include "tools/rank_hosting.hpp"
#include "tools/tune_machine.hpp"
#include "tools/tune_request.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/launch/launcher.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/runtime/start.hpp"
#include "upwash/tuning/tuning_file.hpp"

namespace upwash::tools {
namespace {

[[noreturn]] void wrong(const std::string& what) {
  throw error(error_kind::argument, "tune: " + what);
}

/// Keeps the last progress line in place on a terminal; elsewhere there are none.
class progress_sink final : public launch::output_sink {
 public:
  void line(int /*rank*/, bool standard_error, std::string_view text) override {
    const int fd = standard_error ? STDERR_FILENO : STDOUT_FILENO;
    const bool moves = standard_error && text.starts_with(progress_mark);
    if (moves && isatty(STDERR_FILENO) == 0) return;
    if (moves) text.remove_suffix(text.ends_with('\n') ? 1 : 0);
    if (shown_ && !moves) put(STDERR_FILENO, "\r\x1b[K");
    shown_ = moves;
    put(fd, text);
    if (moves) put(fd, "\x1b[K");
  }

 private:
  static void put(int fd, std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(fd, text.data(), text.size());
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  bool shown_ = false;
};

std::string output_of(const tune_request& asked) {
  if (asked.explain || asked.output == "none") return "none";
  if (!asked.output.empty()) return asked.output;
  std::string own =
      tuning::own_tuning_file(tuning::tuning_name(asked.conduit, simulated_machine(asked)));
  if (own.empty()) wrong("there is no home to write to: name a file by --output");
  return own;
}

/// Before anything is measured: what can be known to fail, does.
void check(tune_request& asked) {
  if (asked.ranks == 0) wrong("-n is missing: the ranks of the team");
  if (!(asked.budget_seconds > 0)) wrong("--budget 0: a search needs time, as 60s");
  if (!(asked.share > 0 && asked.share <= 1)) {
    wrong(fmt::format("--share {}: more than 0 and at most 1 is wanted", asked.share));
  }
  static_cast<void>(problems_of(asked));
  asked.output = output_of(asked);
  if (asked.output == "none") return;
  collective::registry all;
  collective::add_algorithms(all);
  tuning::add_to_file(asked.output, {}, tuning::origin_of(asked.conduit, simulated_machine(asked)),
                      all);
}

std::vector<std::string> words_of(const tune_request& asked) {
  std::vector<std::string> words{"/proc/self/exe", "tune-rank"};
  for (const std::string& each : asked.collectives) words.push_back(each);
  for (const std::string& each : asked.bytes) words.push_back("--bytes=" + each);
  const auto flag = [&](bool set, const char* name) {
    if (set) words.emplace_back(name);
  };
  flag(asked.all, "--all");
  flag(asked.exhaustive, "--exhaustive");
  flag(asked.explain, "--explain");
  flag(asked.measure, "--measure");
  flag(asked.ordered, "--ordered");
  flag(asked.overlapped, "--overlapped");
  flag(asked.json, "--json");
  for (const auto& [name, value] :
       {std::pair("ranks", std::to_string(asked.ranks)),
        std::pair("budget", fmt::format("{}ms", std::ceil(asked.budget_seconds * 1e3))),
        std::pair("share", fmt::format("{}", asked.share)),
        std::pair("samples", std::to_string(asked.samples)),
        std::pair("sample-ms", fmt::format("{}", asked.sample_ms)),
        std::pair("addresses", asked.addresses), std::pair("sync", asked.sync),
        std::pair("conduit", asked.conduit), std::pair("machine", asked.machine),
        std::pair("output", asked.output)}) {
    words.push_back(fmt::format("--{}={}", name, value));
  }
  return words;
}

/// Whether it is the machine that is to be measured, no collective.
bool asks_for_machine(const tune_request& asked) {
  return asked.collectives == std::vector<std::string>{"machine"};
}

std::string machine_output_of(const tune_request& asked) {
  if (!asked.output.empty()) return asked.output;
  const std::string own = tuning::own_machine_file();
  if (own.empty()) wrong("there is no home to write to: name a file by --output");
  return own;
}

int start(tune_request asked, const rank_hosting& hosting, const job_hosts& hosts) {
  if (asks_for_machine(asked)) {
    if (hosting.given()) {
      wrong(fmt::format("machine is measured between processes: run it without {}",
                        hosting.option()));
    }
    asked.ranks = std::max(asked.ranks, 2);
    if (!asked.output.empty()) check_output(asked.output);
    asked.output = machine_output_of(asked);
  } else {
    check(asked);
  }
  if (asked.explain && !asked.measure) {
    explain(asked);
    return 0;
  }
  launch::launch_options options;
  progress_sink sink;
  options.output = &sink;
  options.program = words_of(asked);
  options.environment = {"UPWASH_CONDUIT=" + asked.conduit, "UPWASH_MACHINE=" + asked.machine,
                         "UPWASH_TUNING=none"};
  const conduit::conduit_row on = conduit_named(asked.conduit);
  hosting.host(asked.ranks, on, options);
  if (on.several_processes && asked.bind == "core") options.bind = launch::binding::core;
  hosts.put(on, options);
  return upwash::start(on, options);
}

void add_options(CLI::App& command, tune_request& asked) {
  command.add_option(
      "collective", asked.collectives,
      "The collectives: broadcast, all_to_all, ...; or machine, to measure this machine");
  command.add_flag("--all", asked.all, "Tune all collectives");
  command.add_option("-n,--ranks", asked.ranks, "Number of ranks of the team")
      ->check(CLI::Range(1, 1 << 20));
  command
      .add_option("--bytes", asked.bytes,
                  "Sizes, as 64k (default: 8 to 256k, each 8 times the previous one)")
      ->delimiter(',');
  command.add_option_function<std::string>(
      "--budget",
      [&asked](const std::string& text) {
        asked.budget_seconds = parse_duration(text, "--budget").seconds();
      },
      "Time for all searches together, as 90s (default: 60s)");
  command.add_option("--share", asked.share,
                     "Largest share of the candidates to measure, from 0 to 1 (default: 1)");
  command
      .add_option("--samples", asked.samples,
                  "Largest number of samples of a candidate (default: 7)")
      ->check(CLI::Range(3, 1000));
  command
      .add_option("--sample-ms", asked.sample_ms,
                  "Target length of a sample in milliseconds (default: 2)")
      ->check(CLI::Range(0.001, 1e4));
  command.add_flag("--exhaustive", asked.exhaustive,
                   "Measure all candidates with the same number of samples");
  command.add_flag("--explain", asked.explain,
                   "Measure nothing; print the candidates in the order of their prices");
  command.add_flag("--measure", asked.measure, "With --explain: also measure each candidate");
  command.add_flag("--ordered", asked.ordered, "The operator does not commute");
  command.add_flag("--overlapped", asked.overlapped, "Ranks compute while the collective runs");
  command.add_flag("--json", asked.json, "Print one JSON object per line");
  command
      .add_option(
          "--addresses", asked.addresses,
          "The buffer addresses that a rank knows: its own, or those of all ranks (default: local)")
      ->check(CLI::IsMember({"local", "single"}));
  command.add_option("--sync", asked.sync, "Synchronisation on entry and exit (default: mine)")
      ->check(CLI::IsMember({"none", "mine", "all"}));
  command
      .add_option("--conduit", asked.conduit,
                  "shm: this machine (default); sim: a simulated machine; or another conduit")
      ->check(CLI::IsMember(conduit_names()));
  command.add_option("--machine", asked.machine,
                     "The machine for prices and for sim: a name or a file (default: laptop)");
  command.add_option("--output", asked.output, "The tuning file to extend; none: store nothing");
}

}  // namespace

void add_tune(CLI::App& app, int& status) {
  auto asked = std::make_shared<tune_request>();
  CLI::App* command =
      app.add_subcommand("tune", "Search the best algorithms and store them in a tuning file");
  add_options(*command, *asked);
  auto hosting = std::make_shared<rank_hosting>();
  hosting->add_to(*command);
  command->add_option("--bind", asked->bind, "Bind each process to a core, or not (default: core)")
      ->check(CLI::IsMember({"core", "none"}));
  auto hosts = std::make_shared<job_hosts>();
  hosts->add_to(*command);
  command->callback([asked, hosting, hosts, &status] { status = start(*asked, *hosting, *hosts); });

  auto as_rank = std::make_shared<tune_request>();
  CLI::App* rank = app.add_subcommand("tune-rank", "")->group("");  // hidden: tune starts it
  add_options(*rank, *as_rank);
  rank->callback([as_rank, &status] {
    status = run(0, nullptr, [&](job& here) {
      if (asks_for_machine(*as_rank)) {
        measure_machine(here, as_rank->output);
      } else {
        tune_on_ranks(here, *as_rank);
      }
    });
  });
}

}  // namespace upwash::tools
