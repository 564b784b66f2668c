// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash run`: turns its options into the launcher's; `upwash agent`, which it starts on other
// hosts. What ranks must know travels as variables of the table of knobs; the simulated conduit is
// one process that makes all ranks itself.
#include "tools/run.hpp"
#include "tools/host_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/job_hosts.hpp"
#include "tools/job_report.hpp"
#include "tools/linked_mpi.hpp"
#include "tools/rank_hosting.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/find_program.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/log.hpp"
#include "upwash/launch/agent.hpp"
#include "upwash/launch/launcher.hpp"
#include "upwash/observe/trace_files.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/runtime/start.hpp"

namespace upwash::tools {
namespace {

struct run_options {
  std::int64_t ranks = 1;
  rank_hosting hosting;
  job_hosts hosts;
  std::string conduit;
  std::string machine;
  std::optional<std::uint64_t> seed;
  bool perturb = false;
  std::string network;
  std::string topology;
  std::string record_traffic;
  std::string bind = "none";
  std::string timeout;
  std::string trace;
  bool prefix = false;
  bool checked = false;
  bool privatize = false;
  std::vector<std::string> knobs;
  std::vector<std::string> program;
};

[[noreturn]] void wrong(const std::string& text) { throw error(error_kind::argument, text); }

std::string variable_of(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    wrong(fmt::format("--knob {}: expected name=value (upwash info --knobs lists all)", setting));
  }
  return knob_variable(setting.substr(0, equals)) + setting.substr(equals);
}

/// The simulated machine hosts any number of ranks in its one process.
void check_ranks(const run_options& chosen, const conduit::conduit_row& on) {
  const std::int64_t most = on.simulated ? INT32_MAX : 65536;
  if (chosen.ranks < 1 || chosen.ranks > most) {
    wrong(fmt::format("-n {}: expected a number of ranks from 1 to {}", chosen.ranks, most));
  }
}

/// All ranks are fibers of one process, which makes them itself.
void into_one_process(const run_options& chosen, const conduit::conduit_row& on,
                      launch::launch_options& options) {
  if (chosen.bind != "none") {
    wrong(fmt::format("--bind needs ranks in processes of their own: {} is one process", on.name));
  }
  if (!chosen.machine.empty()) options.environment.push_back("UPWASH_MACHINE=" + chosen.machine);
  if (chosen.seed) options.environment.push_back(fmt::format("UPWASH_SEED={}", *chosen.seed));
  if (chosen.perturb) options.environment.emplace_back("UPWASH_PERTURB=1");
  if (!chosen.network.empty()) options.environment.push_back("UPWASH_NETWORK=" + chosen.network);
  if (!chosen.topology.empty()) {
    options.environment.push_back("UPWASH_TOPOLOGY=" + chosen.topology);
  }
  if (!chosen.record_traffic.empty()) {
    options.environment.push_back("UPWASH_RECORD_TRAFFIC=" + chosen.record_traffic);
  }
}

/// The knobs as the ranks will have them. Throws `error` (configuration) where they are wrong.
settings values_of(const run_options& chosen) {
  knob_table table;
  add_all_knobs(table);
  settings values = settings::from_environment(table);
  for (const std::string& one : chosen.knobs) {
    const auto equals = one.find('=');
    values.set(one.substr(0, equals), one.substr(equals + 1));
  }
  return values;
}

/// The log as the ranks will have it; left as it is where their settings are wrong, which they say.
void follow_log_level(const run_options& chosen) {
  try {
    set_log_level(values_of(chosen).text("log"));
  } catch (const error&) {
    return;
  }
}

/// Of the conduits that span nodes the first that this machine has all for; else the first, which
/// says what it lacks when ranks make it.
std::string conduit_between_hosts(const run_options& chosen) {
  const settings values = values_of(chosen);
  std::string first;
  for (const conduit::conduit_row& each : conduits()) {
    if (!each.spans_nodes) continue;
    if (first.empty()) first = each.name;
    const std::string lacking = each.lacking != nullptr ? each.lacking(values) : std::string();
    log(log_level::info, "launch",
        fmt::format("conduit {} between hosts: {}", each.name,
                    lacking.empty() ? "chosen, the first that can" : lacking));
    if (lacking.empty()) return std::string(each.name);
  }
  return first.empty() ? conduit_names().front() : first;
}

/// The text of a knob that somebody has set, by --knob, a variable or the config file; empty where
/// nobody has, or where the settings are wrong, which the ranks say.
std::string set_knob(const run_options& chosen, std::string_view name) {
  try {
    const settings values = values_of(chosen);
    if (values.source(name) == knob_source::fallback) return {};
    const auto all = values.values();
    return std::ranges::find(all, name, [](const auto& one) { return one.row.name; })->text;
  } catch (const error&) {
    return {};
  }
}

/// Refuses a knob of the command line that says otherwise than the option of the same meaning. A
/// variable or the config file gives way to the option.
void check_contradictions(const run_options& chosen) {
  for (const std::string& one : chosen.knobs) {
    const auto equals = one.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = one.substr(0, equals);
    const std::string value = one.substr(equals + 1);
    const auto refuse = [&](const std::string& option) {
      wrong(fmt::format("--knob {} contradicts {}; leave one of them out", one, option));
    };
    if (name == "conduit" && !chosen.conduit.empty() && chosen.conduit != value) {
      refuse("--conduit " + chosen.conduit);
    }
    if (name == "ranks" && value != std::to_string(chosen.ranks)) {
      refuse(fmt::format("-n {}", chosen.ranks));
    }
    if (name == "ranks_per_process" && chosen.hosting.contradicts(value)) {
      refuse(chosen.hosting.option());
    }
  }
}

/// What the user has named, else the first that can.
std::string conduit_for(const run_options& chosen) {
  if (!chosen.conduit.empty()) return chosen.conduit;
  if (auto knob = set_knob(chosen, "conduit"); !knob.empty()) return knob;
  if (chosen.hosts.given() && chosen.hosts.hosts().size() > 1) {
    follow_log_level(chosen);
    return conduit_between_hosts(chosen);
  }
  return conduit_names().front();
}

/// What only a simulated machine does is not passed over.
void check_simulated(const run_options& chosen, const conduit::conduit_row& on) {
  if (on.simulated) return;
  if (!chosen.machine.empty() || chosen.seed || chosen.perturb || !chosen.network.empty() ||
      !chosen.topology.empty() || !chosen.record_traffic.empty()) {
    wrong(
        "--machine, --network, --topology, --record-traffic, --seed and --perturb need --conduit "
        "sim");
  }
}

conduit::conduit_row conduit_of(const run_options& chosen) {
  const auto names = conduit_names();
  const std::string name = conduit_for(chosen);
  if (std::ranges::find(names, name) == names.end()) {
    wrong(fmt::format("--conduit {}: expected one of {}", name, conduit_choices()));
  }
  return conduit_named(name);
}

/// A knob; empty where the ranks' settings are wrong, which they say.
std::string knob_of(const run_options& chosen, std::string_view name) {
  try {
    return values_of(chosen).text(name);
  } catch (const error&) {
    return {};
  }
}

/// Starts the job; what its ranks wrote into a trace becomes one file, however they ended.
int start_traced(const run_options& chosen, const conduit::conduit_row& on,
                 launch::launch_options& options) {
  const job_report report(knob_of(chosen, "report"),
                          chosen.trace.empty() ? knob_of(chosen, "trace") : chosen.trace);
  const std::string& file = report.trace();
  if (file.empty()) return upwash::start(on, options);
  options.environment.push_back(fmt::format("UPWASH_TRACE={}", file));
  const observe::trace_claim claim(file);
  const int status = upwash::start(on, options);
  observe::merge_parts(file);
  report.tell();
  return status;
}

/// Processes of an MPI program would be jobs of one rank each, to the end.
void tell_of_mpi(const run_options& chosen, const conduit::conduit_row& on) {
  if (on.starter != nullptr || chosen.privatize) return;
  const std::string library = mpi_of_stranger(find_program(chosen.program[0]));
  if (library.empty()) return;
  fmt::print(stderr,
             "upwash: {} is an MPI program (it is linked with {}) without upwash: each of its {} "
             "processes is a job of its own here; start it by upwash mpi -- mpirun -n {} {}\n",
             chosen.program[0], library, chosen.ranks, chosen.ranks, chosen.program[0]);
}

int run(run_options chosen) {
  check_contradictions(chosen);
  const conduit::conduit_row on = conduit_of(chosen);
  chosen.hosting.follow(set_knob(chosen, "ranks_per_process"));
  if (chosen.bind != "core" && chosen.bind != "none") {
    wrong(fmt::format("--bind {}: expected core or none", chosen.bind));
  }
  check_ranks(chosen, on);
  check_simulated(chosen, on);
  launch::launch_options options;
  chosen.hosting.host(static_cast<int>(chosen.ranks), on, options);
  if (!on.several_processes) into_one_process(chosen, on, options);
  options.bind = chosen.bind == "core" ? launch::binding::core : launch::binding::none;
  options.environment.push_back(fmt::format("UPWASH_CONDUIT={}", on.name));
  if (chosen.checked) options.environment.emplace_back("UPWASH_CHECKED=1");
  for (const std::string& one : chosen.knobs) options.environment.push_back(variable_of(one));
  if (!chosen.timeout.empty()) options.timeout = parse_duration(chosen.timeout, "--timeout");
  options.prefix = chosen.prefix;
  options.tell_of_strangers = true;
  options.program = chosen.privatize ? hosted(chosen.program) : chosen.program;
  if (chosen.hosts.given()) {
    follow_log_level(chosen);
    chosen.hosts.put(on, values_of(chosen), options);
  }
  if (on.several_processes && !chosen.hosting.given() && !chosen.hosts.given()) {
    follow_log_level(chosen);
    suggest_hosting(options.ranks);
  }
  tell_of_mpi(chosen, on);
  return start_traced(chosen, on, options);
}

/// Names the program in the line of usage, which CLI11 does not know of.
class run_help final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*command*/, std::string name) const override {
    return fmt::format("Usage: {} -n N [OPTIONS] program [arguments...]\n", name);
  }
};

}  // namespace

void drop_separator(const CLI::App& app, std::vector<char*>& words) {
  if (words.size() < 2) return;
  const std::string_view first(words[1]);
  if (first != "run" && first != "mpi") return;
  const CLI::App* command = app.get_subcommand(std::string(first));
  for (std::size_t i = 2; i < words.size() && words[i][0] == '-'; ++i) {
    if (std::string_view(words[i]) == "-np") words[i][2] = '\0';  // as mpirun has it: -n
    if (std::string_view(words[i]) == "--") {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    const CLI::Option* option = command->get_option_no_throw(words[i]);
    if (option != nullptr && option->get_expected_min() > 0) ++i;  // over its value
  }
}

void add_run(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("run", "Start a program as a job");
  auto chosen = std::make_shared<run_options>();
  command->add_option("-n,--ranks", chosen->ranks, "Number of ranks")->required();
  chosen->hosting.add_to(*command);
  chosen->hosts.add_to(*command);
  command->add_option(
      "--conduit", chosen->conduit,
      "shm: this machine (default); sim: a simulated machine; or another conduit (upwash info). On "
      "several hosts the default is the first conduit that connects hosts");
  command->add_option("--machine", chosen->machine, "Simulated machine: a name or a file");
  command->add_option("--seed", chosen->seed, "Seed of the simulated machine")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62U));
  command->add_flag("--perturb", chosen->perturb, "Simulate random delays and reorderings");
  command->add_option("--network", chosen->network,
                      "Simulated network: message (default), or packet, which models the switches");
  command->add_option("--topology", chosen->topology,
                      "Simulated network of packets: a topology as in upwash simulate (default: "
                      "that of the machine)");
  command->add_option("--record-traffic", chosen->record_traffic,
                      "Simulated: file that records the messages between nodes");
  command->add_option("--bind", chosen->bind, "core: bind each process to a core; none (default)");
  command->add_option("--timeout", chosen->timeout, "End the job after this time, as 90s");
  command->add_option("--trace", chosen->trace,
                      "File that records the operations of the ranks, for upwash trace");
  command->add_flag("--prefix", chosen->prefix,
                    "Begin each line of output with its rank, or the ranks of its process");
  command->add_flag("--checked", chosen->checked,
                    "Check how the program uses the library, at a cost (knob checked)");
  command->add_flag("--privatize", chosen->privatize,
                    "Give each rank of a process its own copy of the program's variables");
  command->add_option("--knob", chosen->knobs, "A knob for the ranks: name=value; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  // The first word that is no option is the program; what follows it is the program's.
  command->prefix_command();
  command->formatter(std::make_shared<run_help>());
  command->callback([chosen, command, &status] {
    chosen->program = command->remaining();
    if (!chosen->program.empty() && chosen->program[0].starts_with('-')) {
      wrong(fmt::format("run: unknown option {} (see upwash run --help)", chosen->program[0]));
    }
    if (chosen->program.empty()) wrong("run: no program to start (upwash run -n N program ...)");
    status = run(*chosen);
  });
}

void add_agent(CLI::App& app, int& status) {
  app.add_subcommand("agent", "")->group("")->callback([&status] {
    status = launch::serve_head();
  });
}

}  // namespace upwash::tools
