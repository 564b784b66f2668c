// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/detail/composition.hpp"
#include "upwash/neighborhood/relay_family.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/standard_descriptors.hpp"
#include "upwash/collective/forced_algorithms.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/conduit/stack_bytes.hpp"
#include "upwash/conduit/traced/traced_world.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/observe/trace_files.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::runtime_detail {
namespace {

/// The knob `algorithms`, and behind it the collectives' own, which count more.
std::string forced_algorithms(const settings& values) {
  std::string all = values.text("algorithms");
  for (const std::string_view collective : collective::kind_names()) {
    const std::string& one = values.text(collective);
    if (!one.empty()) all += fmt::format("{}{}={}", all.empty() ? "" : ";", collective, one);
  }
  return all;
}

/// Ranks of different builds would run each other's messages with the wrong functions.
void check_builds(conduit::bootstrap& boot, const void* program) {
  const std::uint64_t mine = build_fingerprint(program);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(boot.process_count()));
  boot.exchange(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  const auto other = std::find_if(all.begin(), all.end(), [&](auto one) { return one != all[0]; });
  if (other != all.end()) {
    throw error(error_kind::environment,
                fmt::format("process {} runs another build of the program or of upwash than "
                            "process 0; all ranks must run the same files",
                            other - all.begin()));
  }
}

/// What only another conduit does is not passed over.
void check_other_knobs(const settings& values, const conduit::conduit_row& chosen) {
  const auto value_of = [&values](std::string_view name) {
    const auto all = values.values();
    return *std::find_if(all.begin(), all.end(), [=](const auto& v) { return v.row.name == name; });
  };
  for (const conduit::conduit_row& other : conduits()) {
    if (other.name == chosen.inside || other.make == chosen.make) continue;
    for (const std::string_view name : other.only_here) {
      const settings::value set = value_of(name);
      if (set.text == set.row.fallback) continue;
      throw error(error_kind::configuration,
                  fmt::format("{} = {}: only conduit {} does that, this job's is {}", name,
                              set.text, other.name, chosen.name));
    }
  }
}

/// Null where the conduit needs none.
std::unique_ptr<conduit::bootstrap> place_for(const conduit::conduit_row& chosen,
                                              const settings& values) {
  if (chosen.place != nullptr && !launched(values) && !launch::place_is_taken(values)) {
    auto place = chosen.place(values);
    launch::take_place(values);
    place->tell(launch::board_of_launcher(values, *place));
    return place;
  }
  if (!chosen.several_processes && !launched(values)) return nullptr;
  return launch::make_bootstrap(values, chosen.spans_nodes);
}

/// Ranks of one node would look for those of others in their own memory.
void check_nodes(const conduit::bootstrap& boot, const conduit::conduit_row& chosen) {
  if (chosen.spans_nodes || boot.node_count() == 1) return;
  std::string able;
  for (const conduit::conduit_row& each : conduits()) {
    if (each.spans_nodes) able += fmt::format("{}{}", able.empty() ? "" : "|", each.name);
  }
  throw error(error_kind::configuration,
              fmt::format("conduit = {}: its ranks are on one node, and this job is on {}; {}",
                          chosen.name, boot.node_count(),
                          able.empty() ? "this build has no conduit that spans nodes"
                                       : fmt::format("expected one of {}", able)));
}

/// A number of ranks that nobody starts is not passed over. Under upwash run its option counts.
void check_rank_count(const composition& made, const conduit::conduit_row& chosen) {
  const settings& values = made.values;
  if (!chosen.several_processes || launched(values)) return;
  // A program that a rank starts has the variables of a job that is not its own.
  if (values.source("ranks") == knob_source::fallback || !values.text("boot_taken").empty()) return;
  const int wanted = values.count("ranks");
  if (wanted == made.world->size()) return;
  throw error(
      error_kind::configuration,
      fmt::format("ranks = {} (UPWASH_RANKS): this job has {} on conduit {}, whose processes "
                  "a launcher starts; start it by upwash run -n {}, or on conduit sim",
                  wanted, made.world->size(), chosen.name, wanted));
}

/// A machine that the user named is not passed over for another when the first choice needs it.
void check_machine(const settings& values) {
  if (values.source("machine") == knob_source::fallback) return;
  static_cast<void>(load_machine(values.text("machine")));
}

/// A report is made of a trace, by who starts the job; front ends in libraries have their own.
void tell_who_reports(const composition& made) {
  if (made.values.text("report") == "0" || made.own.program != nullptr) return;
  if (made.world->first_rank() != 0) return;
  log(log_level::warning, "runtime",
      "no report will be made (knob report): only `upwash run` makes one. Start the program by it, "
      "or have it write a trace (UPWASH_TRACE=FILE), of which `upwash trace FILE` tells the same");
}

/// Where the ranks are to write down what they do.
void put_trace_around(composition& made) {
  const std::string& file = made.values.text("trace");
  if (file.empty()) return tell_who_reports(made);
  observe::check_trace_file(file);
  // Otherwise the starter of the processes claims and merges the trace.
  if (made.alone() && !launched(made.values)) {
    made.trace = std::make_unique<observe::trace_claim>(file);
  }
  made.world =
      conduit::trace(std::move(made.world), {.folder = observe::parts_folder(file),
                                             .most_bytes = made.values.bytes("trace_limit"),
                                             .memory_lane = !made.options.progress_thread});
}

}  // namespace

void compose(composition& made) {
  open_standard_descriptors();
  knob_table table;
  add_all_knobs(table);
  made.values = settings::from_environment(table);
  set_log_level(made.values.text("log"));
  const conduit::conduit_row chosen = conduit_named(made.values.text("conduit"));
  made.boot = place_for(chosen, made.values);
  made.simulated = chosen.simulated;
  check_other_knobs(made.values, chosen);
  check_machine(made.values);
  if (made.boot) check_nodes(*made.boot, chosen);
  if (chosen.several_processes) check_builds(*made.boot, made.own.program);
  made.world = make_world(chosen, made.values, made.boot.get());
  check_rank_count(made, chosen);
  collective::add_algorithms(made.algorithms);
  neighborhoods::add_algorithms(made.algorithms);
  if (made.own.add_algorithms != nullptr) made.own.add_algorithms(made.algorithms);
  made.forced = forced_algorithms(made.values);
  collective::check_forced(made.algorithms, made.forced);
  make_selectors(made, conduit::network_of(*made.world));
  made.options.program = made.own.program;
  made.options.deferred_limit = static_cast<std::size_t>(made.values.count("deferred_limit"));
  made.options.hang_report = made.values.time("hang_report");
  if (made.boot) made.options.hang_board = made.boot->hang_board();
  made.options.checked = made.options.checked || made.values.flag("checked");
  made.options.side_stack_bytes = conduit::stack_bytes(made.values, made.options.side_stack_bytes);
  made.options.progress_thread = made.values.flag("progress_thread");
  made.options.progress_processors = conduit::progress_processors(made.values);
  if (made.options.progress_thread && made.world->local_ranks() > 1) {
    log(log_level::warning, "runtime",
        fmt::format("progress_thread = 1: a process of {} ranks has none, it serves one rank only",
                    made.world->local_ranks()));
  }
  put_trace_around(made);
  if (made.world->local_ranks() == 1) set_log_rank(made.world->first_rank());
  log(log_level::info, "runtime",
      fmt::format("{} ranks on conduit {}, {} in this process", made.world->size(), chosen.name,
                  made.world->local_ranks()));
}

}  // namespace upwash::runtime_detail
