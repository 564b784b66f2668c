// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/process_knobs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "upwash/base/error.hpp"

namespace upwash::conduit {
namespace {

constexpr knob rows[] = {
    knob{"wait_policy", knob_type::choice, "auto",
         "how a rank waits; auto spins if the rank has a core of its own, and yields otherwise",
         knob_level::user, "auto|spin|yield|sleep"},
    knob{"sleep_after", knob_type::time, "1s",
         "a wait that lasts longer naps between looks and frees the core; 0: never",
         knob_level::tuner},
    knob{"progress_thread", knob_type::flag, "0",
         "a thread serves memory operations and advances large nonblocking collectives while the "
         "rank computes (processes of one rank only)",
         knob_level::user},
    knob{"progress_wait", knob_type::choice, "poll",
         "an idle progress thread polls, naps between looks, or sleeps until a message wakes it",
         knob_level::user, "poll|nap|sleep"},
    knob{"progress_cores", knob_type::text, "",
         "processors of the progress thread, as in 1 or 2-3,6; empty: the processors of its rank",
         knob_level::user},
    knob{"fake_nodes", knob_type::integer, "0",
         "number of pretended nodes that the ranks of each machine are split into; 0: none",
         knob_level::user},
    knob{"compute", knob_type::choice, "ignore",
         "job.compute in real time does nothing or uses the processor for that time",
         knob_level::user, "ignore|burn"},
    knob{"turns", knob_type::integer, "0",
         "seed of the order in which the ready ranks of a process resume; 0: the order in which "
         "they became ready",
         knob_level::developer},
    knob{"wire_window", knob_type::integer, "0",
         "conduits over networks: messages of one class that a process may send to another before "
         "it receives an acknowledgement; 0: depends on the number of processes",
         knob_level::tuner},
};

}  // namespace

std::span<const knob> process_knobs() noexcept { return rows; }

std::vector<int> progress_processors(const settings& values) {
  return parse_numbers(values.text("progress_cores"),
                       static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)), "progress_cores");
}

namespace {

std::string host_name(const bootstrap& boot, int process) {
  const int node = boot.node_of(process);
  const std::string_view host = boot.host_of(node);
  return host.empty() ? fmt::format("node {}", node) : fmt::format("host {}", host);
}

/// Processes of one pretended node reach each other's memory.
void check_apart(const bootstrap& boot, const std::vector<int>& pretended) {
  for (int p = 1; p < boot.process_count(); ++p) {
    const auto here = static_cast<std::size_t>(p);
    if (pretended[here] != pretended[here - 1] || boot.node_of(p) == boot.node_of(p - 1)) continue;
    throw error(
        error_kind::configuration,
        fmt::format("fake_nodes={}: processes {} and {} would share a node, and are on {} and "
                    "{} (UPWASH_FAKE_NODES)",
                    pretended.back() + 1, p - 1, p, host_name(boot, p - 1), host_name(boot, p)));
  }
}

}  // namespace

std::vector<int> nodes_of(const bootstrap& boot, const settings& values) {
  const std::int64_t pretended = values.integer("fake_nodes");
  const int processes = boot.process_count();
  if (pretended < 0 || pretended > processes) {
    throw error(error_kind::configuration,
                fmt::format("fake_nodes={}: expected 0 to the number of processes, {} "
                            "(UPWASH_FAKE_NODES)",
                            pretended, processes));
  }
  std::vector<int> nodes;
  for (int p = 0; p < processes; ++p) {
    nodes.push_back(pretended > 0 ? static_cast<int>(p * pretended / processes) : boot.node_of(p));
  }
  if (pretended > 0) check_apart(boot, nodes);
  return nodes;
}

}  // namespace upwash::conduit
