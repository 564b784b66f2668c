// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/simulate_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/progress_bar.hpp"
#include "tools/simulate_plot.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/parameters.hpp"
#include "upwash/simulator/replay.hpp"

namespace upwash::tools {
namespace {

using collective::selection;

[[noreturn]] void wrong(const std::string& what) {
  throw error(error_kind::argument, "simulate: " + what);
}

/// What one schedule took, in virtual time and in real time.
struct seen_run {
  duration completion;
  simulator::replay_totals totals;
  double wall_s = 0;
};

/// The steps of the first rank, for all: an estimate, for the bar.
double steps_of_all(const selection& with, const collective::problem& call) {
  constexpr std::uint64_t enough = 10'000'000;
  schedule::generator steps = with.schedule_of(call, 0);
  schedule::step each;
  std::uint64_t count = 1;
  while (count < enough && steps.next(each)) ++count;
  return static_cast<double>(count) * call.ranks;
}

seen_run run(const selection& with, const collective::problem& call, const machine& on,
             const schedule_run& what, const simulator::shared_links& links, progress_bar& bar) {
  constexpr int many_ranks = 16'384;
  constexpr std::uint32_t small_window = 8;  // as the pricer's, so that many ranks fit into memory
  seen_run seen;
  simulator::replay_options options;
  options.free_where_absent = true;
  options.daemons = noise_of(what);
  options.links = links;
  options.threads = what.threads;
  options.totals = &seen.totals;
  if (call.ranks > many_ranks) options.least_window = small_window;
  const double all = steps_of_all(with, call);
  const auto progress = [&](std::uint64_t steps) {
    bar.show(std::min(1.0, static_cast<double>(steps) / all));
  };
  options.progress = progress;
  bar.next_run();
  const duration start = steady_now();
  const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
  for (const auto& each : simulator::replay(call.ranks, steps, on, rules_of(what), options)) {
    seen.completion = std::max(seen.completion, each.completion);
  }
  seen.wall_s = (steady_now() - start).seconds();
  return seen;
}

nlohmann::ordered_json row_of(const schedule_run& what, const machine& on,
                              const std::string& algorithm, std::uint64_t bytes,
                              const seen_run& seen) {
  const auto ranks = static_cast<std::uint64_t>(what.ranks);
  return {{"bench", "simulate"},
          {"network", "message"},
          {"machine", on.name},
          {"collective", what.collective},
          {"algorithm", algorithm},
          {"ranks", what.ranks},
          {"bytes", bytes},
          {"contention", what.contention},
          {"threads", what.threads},
          {"completion_us", seen.completion.us()},
          {"messages", seen.totals.messages},
          {"wire_messages", seen.totals.wire_messages},
          {"wall_s", seen.wall_s},
          {"messages_per_s", static_cast<double>(seen.totals.messages) / seen.wall_s},
          {"bytes_a_rank", seen.totals.memory_bytes / ranks},
          {"schedule_bytes_a_rank", seen.totals.schedule_bytes / ranks}};
}

void print(const std::string& algorithm, std::uint64_t bytes, const seen_run& seen, int ranks) {
  fmt::print("{:<32} {:>10} {:16.3f} {:12} {:10.3f} {:14.0f} {:12}\n", algorithm, bytes,
             seen.completion.us(), seen.totals.messages, seen.wall_s,
             static_cast<double>(seen.totals.messages) / seen.wall_s,
             seen.totals.memory_bytes / static_cast<std::uint64_t>(ranks));
}

/// Whose links are shared; null: nobody's.
std::unique_ptr<const model::topology> network_of(const schedule_run& what, const machine& on) {
  if (what.contention == "none") {
    if (!what.topology.empty() || !what.routing.empty()) {
      wrong("--topology and --routing need --contention flows where the network is of messages");
    }
    return nullptr;
  }
  if (what.threads != 1) wrong("--contention flows: one thread only");
  const int each_node = std::min(on.ranks_in(level_kind::node), what.ranks);
  const int nodes = (what.ranks + each_node - 1) / each_node;
  return model::make_topology(
      what.topology.empty() ? model::topology_of(on, nodes) : model::parse_topology(what.topology),
      what.routing);
}

}  // namespace

int simulate_messages(const schedule_run& what) {
  if (what.nic_memory) {
    wrong(
        "--nic-memory needs the network of packets: whole messages have no memory of a NIC; leave "
        "out --network message, or price it by upwash schedule --nic-memory");
  }
  const machine on = machine_of(what);
  const std::vector<std::uint64_t> sizes = sizes_of(what);
  collective::registry all;
  collective::add_algorithms(all);
  collective::problem call = problem_of(what, sizes.front());
  call.ranks_per_node = std::min(on.ranks_in(level_kind::node), what.ranks);
  call.whole_messages = true;
  const std::vector<selection> chosen = candidates(all, call, what);
  const auto network = network_of(what, on);
  const simulator::shared_links links =
      network ? simulator::shared_links{network.get(),
                                        simulator::parameters_of(on, *network).ps_per_byte}
              : simulator::shared_links{};
  for (const std::string& file : {what.json, what.plot}) {
    if (!file.empty()) check_output(file);
  }
  fmt::print(
      "# {}, {} ranks on {}, whole messages, {}\n"
      "{:<32} {:>10} {:>16} {:>12} {:>10} {:>14} {:>12}\n",
      what.collective, what.ranks, on.name,
      network ? "links of " + network->name() + " shared" : "no contention", "algorithm", "bytes",
      "completion_us", "messages", "wall_s", "messages_per_s", "bytes_a_rank");
  progress_bar bar(chosen.size() * sizes.size(), what.quiet);
  std::vector<plot_curve> curves;
  std::string rows;
  for (const selection& each : chosen) {
    const std::string name = model::text_of(each.chosen->is, each.with);
    curves.push_back({name, {}});
    for (const std::uint64_t bytes : sizes) {
      call = problem_of(what, bytes);
      call.ranks_per_node = std::min(on.ranks_in(level_kind::node), what.ranks);
      call.whole_messages = true;
      const seen_run seen = run(each, call, on, what, links, bar);
      bar.show(1);
      print(name, bytes, seen, what.ranks);
      rows += row_of(what, on, name, bytes, seen).dump() + "\n";
      curves.back().points.emplace_back(static_cast<double>(bytes), seen.completion.us());
    }
  }
  if (!what.json.empty()) write_output(what.json, rows);
  if (!what.plot.empty()) {
    write_output(what.plot,
                 plot_svg(fmt::format("{}, {} ranks on {}", what.collective, what.ranks, on.name),
                          {{"completion", "bytes", "us", true, curves, true}}));
  }
  return 0;
}

}  // namespace upwash::tools
