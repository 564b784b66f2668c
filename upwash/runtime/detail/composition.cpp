// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/detail/composition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/shm/shm_world.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/runtime/describe.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/simulator/noise.hpp"

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

int positive(const settings& values, std::string_view name) {
  const std::int64_t value = values.integer(name);
  if (value < 1 || value > (1 << 28)) {
    throw error(error_kind::configuration,
                fmt::format("{} = {}: a number from 1 to 2^28 is wanted", name, value));
  }
  return static_cast<int>(value);
}

/// Ranks of different builds would run each other's messages with the wrong functions.
void check_builds(conduit::bootstrap& boot) {
  const std::uint64_t mine = build_fingerprint();
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

/// The network that packets cross, when they do: the one asked for, or the machine's.
std::shared_ptr<const model::topology> network_of(const settings& values, const machine& on,
                                                  int ranks) {
  const std::string& asked = values.text("topology");
  if (values.text("network") == "message") {
    if (asked.empty()) return nullptr;
    throw error(error_kind::configuration,
                fmt::format("topology = {}: messages have no topology; set network to packet, or "
                            "topology to nothing",
                            asked));
  }
  const int each = std::min(on.ranks_in(level_kind::node), ranks);
  const int nodes = (ranks + each - 1) / each;
  const model::topology_description described =
      asked.empty() ? model::topology_of(on, nodes) : model::parse_topology(asked);
  std::shared_ptr<const model::topology> made = model::make_topology(described);
  if (nodes == 1 && ranks > 1) {
    log(log_level::warning, "runtime",
        fmt::format("network = packet: all {} ranks are on one node of {}, nothing crosses its "
                    "network; {}:ranks_a_node=1 has one on each",
                    ranks, on.name, on.name));
  }
  if (made->nodes() >= nodes) return made;
  throw error(error_kind::configuration,
              fmt::format("network = packet: {} has {} nodes, {} ranks of {} need {}: run fewer "
                          "ranks, or set topology to a larger network",
                          made->name(), made->nodes(), ranks, on.name, nodes));
}

conduit::sim_options sim_options_of(const settings& values) {
  conduit::sim_options chosen;
  chosen.ranks = positive(values, "ranks");
  chosen.ranks_per_process = positive(values, "ranks_per_process");
  chosen.on = load_machine(values.text("machine"));
  chosen.seed = static_cast<std::uint64_t>(values.integer("seed"));
  chosen.perturb = values.flag("perturb");
  chosen.stack_bytes = values.bytes("stack_bytes");
  chosen.daemons = simulator::parse_noise(values.text("noise"), "noise =", chosen.seed);
  chosen.record_traffic = values.text("record_traffic");
  chosen.through = network_of(values, chosen.on, chosen.ranks);
  return chosen;
}

/// What only the simulated conduit does is not passed over on another.
void check_not_simulated(const settings& values) {
  for (const std::string_view name : {"network", "topology", "noise", "record_traffic"}) {
    const std::string& value = values.text(name);
    if (value.empty() || value == "message") continue;
    throw error(error_kind::configuration,
                fmt::format("{} = {}: only conduit sim does that, this job's is {}", name, value,
                            values.text("conduit")));
  }
}

/// A machine that the user named is not passed over for another when the first choice needs it.
void check_machine(const settings& values) {
  if (values.source("machine") == knob_source::fallback) return;
  static_cast<void>(load_machine(values.text("machine")));
}

conduit::loopback_options loopback_options_of(const settings& values) {
  conduit::loopback_options chosen;
  chosen.ranks = positive(values, "ranks");
  chosen.ranks_per_endpoint = positive(values, "ranks_per_process");
  chosen.seed = static_cast<std::uint64_t>(values.integer("seed"));
  chosen.stack_bytes = values.bytes("stack_bytes");
  return chosen;
}

}  // namespace

void compose(composition& made) {
  knob_table table;
  add_all_knobs(table);
  made.values = settings::from_environment(table);
  set_log_level(made.values.text("log"));
  const std::string& name = made.values.text("conduit");
  const bool alone = name == "sim" || name == "loopback";
  if (!alone || launched(made.values)) made.boot = launch::make_bootstrap(made.values);
  std::shared_ptr<const model::topology> network;
  if (name != "sim") {
    check_not_simulated(made.values);
    check_machine(made.values);
  }
  if (name == "sim") {
    const conduit::sim_options simulated = sim_options_of(made.values);
    network = simulated.through;
    made.world = conduit::make_sim_world(simulated);
  } else if (name == "loopback") {
    made.world = conduit::make_loopback_world(loopback_options_of(made.values));
  } else {
    check_builds(*made.boot);
    made.world = conduit::make_shm_world(*made.boot, made.values);
  }
  collective::add_algorithms(made.algorithms);
  made.forced = forced_algorithms(made.values);
  make_selectors(made, network);
  made.options.deferred_limit = static_cast<std::size_t>(positive(made.values, "deferred_limit"));
  made.options.hang_report = made.values.time("hang_report");
  if (made.boot) made.options.hang_board = made.boot->hang_board();
  made.options.checked = made.options.checked || made.values.flag("checked");
  made.options.progress_thread = made.values.flag("progress_thread");
  if (made.options.progress_thread && made.world->local_ranks() > 1) {
    log(log_level::warning, "runtime",
        fmt::format("progress_thread = 1: a process of {} ranks has none, it serves one rank only",
                    made.world->local_ranks()));
  }
  if (made.world->local_ranks() == 1) set_log_rank(made.world->first_rank());
  log(log_level::info, "runtime",
      fmt::format("{} ranks on conduit {}, {} in this process", made.world->size(), name,
                  made.world->local_ranks()));
}

}  // namespace upwash::runtime_detail
