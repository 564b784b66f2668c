// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/sim_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/conduit/stack_bytes.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/noise.hpp"

namespace upwash::conduit {
namespace {

constexpr knob rows[] = {
    knob{"network", knob_type::choice, "message",
         "sim: message models contention at both ends of a message; packet models it in the "
         "switches",
         knob_level::user, "message|packet"},
    knob{"topology", knob_type::text, "",
         "sim with network=packet: KIND[:key=value,...] or a file; empty: the topology of the "
         "machine file",
         knob_level::tuner},
    knob{"record_traffic", knob_type::text, "",
         "sim: file that records the messages between nodes, for upwash simulate --traffic "
         "trace:file=F",
         knob_level::tuner},
    knob{"noise", knob_type::text, "",
         "sim: daemons that use a node's processors: period,length[,together], as in 10ms,250us",
         knob_level::tuner},
    knob{"remote_writes", knob_type::flag, "1",
         "sim: 1: the network reads and writes memory; 0: the owner serves memory operations by "
         "messages",
         knob_level::tuner},
    knob{"perturb", knob_type::flag, "0",
         "sim: delays and reorders messages at random within the rules, drawn from the seed",
         knob_level::user},
};

constexpr std::array<std::string_view, 5> only_here{"network", "topology", "noise",
                                                    "record_traffic", "remote_writes"};

/// The network that packets cross, when they do: the one asked for, or the machine's.
std::shared_ptr<const model::topology> packets_of(const settings& values, const machine& on,
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
    log(log_level::warning, "sim",
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

sim_options sim_options_of(const settings& values) {
  sim_options chosen;
  chosen.ranks = values.count("ranks");
  chosen.ranks_per_process = values.count("ranks_per_process");
  chosen.on = load_machine(values.text("machine"));
  chosen.seed = static_cast<std::uint64_t>(values.integer("seed"));
  chosen.perturb = values.flag("perturb");
  chosen.remote_writes = values.flag("remote_writes");
  chosen.find_conflicts = values.flag("checked");
  chosen.stack_bytes = stack_bytes(values, simulated_stack_bytes);
  chosen.daemons = simulator::parse_noise(values.text("noise"), "noise =", chosen.seed);
  chosen.record_traffic = values.text("record_traffic");
  chosen.through = packets_of(values, chosen.on, chosen.ranks);
  return chosen;
}

std::unique_ptr<world> make(const settings& values, bootstrap* /*boot*/) {
  return make_sim_world(sim_options_of(values));
}

}  // namespace

conduit_row sim_row() {
  return {.name = "sim",
          .doc = "fibers of one process on a simulated machine, in virtual time",
          .several_processes = false,
          .simulated = true,
          .knobs = rows,
          .only_here = only_here,
          .make = &make};
}

}  // namespace upwash::conduit
