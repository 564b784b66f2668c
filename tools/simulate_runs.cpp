// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/simulate_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/model/choice.hpp"
#include "upwash/simulator/network/collective_run.hpp"
#include "upwash/simulator/network/exchange.hpp"
#include "upwash/simulator/network/multicast_traffic.hpp"
#include "upwash/simulator/network/trace.hpp"

namespace upwash::tools {

using namespace simulator;  // NOLINT(google-build-using-namespace)

namespace {

[[noreturn]] void wrong(const std::string& what) {
  throw error(error_kind::argument, "simulate: " + what);
}

const model::fat_tree& tree_for(const model::topology& on, std::string_view what) {
  if (const auto* tree = dynamic_cast<const model::fat_tree*>(&on)) return *tree;
  wrong(fmt::format("{} needs a fat-tree, clos or crossbar, not {}", what, on.name()));
}

}  // namespace

bool is_multicast(std::string_view traffic) {
  return model::split_choice(traffic).first == "multicast";
}

void check_multicast(const simulation& what, std::string_view traffic) {
  (void)parse_multicast(traffic);
  (void)tree_for(*what.on, "multicast");
  simulator::check_multicasts(what.with);
}

simulation_result run_multicast(const simulation& what, std::string_view traffic) {
  multicast_plan plan = parse_multicast(traffic);
  plan.load = what.load;
  plan.warm_up_packets = what.warm_up_packets;
  plan.packets = what.packets;
  plan.seed = what.seed;
  const duration start = steady_now();
  const multicast_result seen = run(tree_for(*what.on, "multicast"), what.with, plan);
  simulation_result result;
  result.load = seen.load;
  result.accepted = seen.accepted;
  result.latency_avg_ns = seen.complete_avg_ns;
  result.latency_p99_ns = seen.complete_p99_ns;
  result.packets = seen.multicasts;
  result.packet_hops = seen.packet_hops;
  result.wall_s = (steady_now() - start).seconds();
  return result;
}

int time_collective(const simulation& what, std::string_view collective,
                    std::vector<std::string> sizes) {
  constexpr std::array<std::string_view, 4> names{"broadcast", "reduce", "all_reduce", "barrier"};
  const auto which = std::find(names.begin(), names.end(), collective) - names.begin();
  const model::fat_tree& on = tree_for(*what.on, "--collective");
  std::vector<int> members(static_cast<std::size_t>(on.nodes()));
  std::iota(members.begin(), members.end(), 0);
  fmt::print("# {} in the switches of {}\n{:>10} {:>16}\n", collective, on.name(), "bytes",
             "time_ns");
  if (sizes.empty()) sizes = {"8", "64", "256", "1k", "4k"};
  for (const std::string& text : sizes) {
    const std::uint64_t bytes = parse_bytes(text, "--bytes");
    const duration time =
        time_in_network(static_cast<network_collective>(which), bytes, on, members, what.with);
    fmt::print("{:>10} {:16.1f}\n", bytes, time.ns());
  }
  return 0;
}

int time_exchange(const simulation& what, const std::string& size,
                  const std::vector<std::string>& patterns) {
  const model::topology& on = *what.on;
  const std::uint64_t bytes = parse_bytes(size, "--exchange");
  fmt::print("# {} bytes from each node to its partner, {}\n{:<24} {:>14} {:>14} {:>14}\n", bytes,
             on.name(), "pattern", "last_us", "mean_us", "MB/s, 2 ways");
  for (const std::string& text : patterns) {
    const traffic_pattern pattern = parse_traffic(text, on.nodes());
    if (pattern.is_random()) wrong(fmt::format("--exchange: {} gives no node a partner", text));
    const exchange_result seen = exchange(
        on, what.with, bytes, [&](int node) { return pattern.partner(node, on.nodes()); },
        what.seed);
    fmt::print("{:<24} {:14.3f} {:14.3f} {:14.1f}\n", text, seen.last.us(), seen.mean.us(),
               seen.both_ways_mb_s(bytes));
  }
  return 0;
}

bool is_trace(std::string_view traffic) { return model::split_choice(traffic).first == "trace"; }

int time_trace(const simulation& what, std::string_view traffic, const std::string& json) {
  constexpr std::string_view head = "trace:file=";
  if (!traffic.starts_with(head) || traffic.size() == head.size()) {
    wrong(fmt::format("--traffic {}: expected trace:file=F", traffic));
  }
  const model::topology& on = *what.on;
  const auto messages = read_trace(std::string(traffic.substr(head.size())), on.nodes());
  check(what.with);
  if (!json.empty()) check_output(json);
  const duration start = steady_now();
  const trace_result seen = run(messages, on, what.with, what.seed);
  fmt::print(
      "# {}, {}\n{:>12} {:>14} {:>14} {:>14} {:>14} {:>14} {:>12}\n{:>12} {:>14} {:14.3f} "
      "{:14.3f} {:14.1f} {:14.1f} {:12}\n",
      on.name(), traffic, "messages", "bytes", "last_sent_us", "arrived_us", "latency_avg_ns",
      "latency_p99_ns", "packet_hops", seen.messages, seen.bytes, seen.last_sent.us(),
      seen.last_arrived.us(), seen.latency_avg_ns, seen.latency_p99_ns, seen.packet_hops);
  if (json.empty()) return 0;
  const nlohmann::ordered_json row{{"bench", "simulate"},
                                   {"topology", on.name()},
                                   {"traffic", traffic},
                                   {"seed", what.seed},
                                   {"messages", seen.messages},
                                   {"bytes", seen.bytes},
                                   {"last_sent_ns", seen.last_sent.ns()},
                                   {"last_arrived_ns", seen.last_arrived.ns()},
                                   {"latency_avg_ns", seen.latency_avg_ns},
                                   {"latency_p99_ns", seen.latency_p99_ns},
                                   {"packet_hops", seen.packet_hops},
                                   {"wall_s", (steady_now() - start).seconds()}};
  write_output(json, row.dump() + "\n");
  return 0;
}

}  // namespace upwash::tools
