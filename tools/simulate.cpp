// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash simulate`: throughput and latency of traffic on a network of switches, by load.
#include "tools/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/network_page.hpp"
#include "tools/progress_bar.hpp"
#include "tools/report_page.hpp"
#include "tools/simulate_messages.hpp"
#include "tools/simulate_plot.hpp"
#include "tools/simulate_runs.hpp"
#include "tools/simulate_schedule.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/simulation.hpp"

namespace upwash::tools {
namespace {

using namespace simulator;  // NOLINT(google-build-using-namespace)

struct simulate_arguments {
  std::string topology;
  std::string routing;
  std::vector<std::string> traffic{"uniform"};
  std::string load = "0.1:1.0:0.1";
  std::string design = "output";
  std::string credits = "crosspoint";
  double gigabits = 10;
  std::string channel = "20ns";
  std::string switching = "90ns";
  std::string send = "1300ns";
  std::string receive = "1300ns";
  std::string json;
  std::string plot;
  std::string heat;
  std::string collective;
  std::vector<std::string> bytes;
  std::string exchange;
  bool qsnet = false;
  schedule_run schedule;
  std::string network = "packets";
  bool quiet = false;
  simulation what;
};

[[noreturn]] void wrong(const std::string& what) {
  throw error(error_kind::argument, "simulate: " + what);
}

/// "0.5", "0.1,0.5" or "first:last:step".
std::vector<double> parse_loads(const std::string& text) {
  std::vector<double> numbers;
  const char separator = text.find(':') != std::string::npos ? ':' : ',';
  std::string_view rest = text;
  while (true) {
    const std::string_view word = rest.substr(0, rest.find(separator));
    double value = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status != std::errc() || end != word.data() + word.size() || !(value > 0) || value > 64) {
      wrong(
          fmt::format("--load {}: \"{}\" is not a share of a link's rate above 0; expected 0.5, "
                      "0.1,0.5 or first:last:step",
                      text, word));
    }
    numbers.push_back(value);
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  if (separator == ',') return numbers;
  if (numbers.size() != 3 || numbers[1] < numbers[0]) {
    wrong(fmt::format("--load {}: expected first:last:step", text));
  }
  std::vector<double> loads;
  const double steps = std::floor((numbers[1] - numbers[0]) / numbers[2] + 1e-9);
  if (steps > 10000) wrong(fmt::format("--load {}: more than 10000 loads", text));
  for (int i = 0; i <= static_cast<int>(steps); ++i) loads.push_back(numbers[0] + i * numbers[2]);
  return loads;
}

void read_network(const simulate_arguments& given, network_parameters& with) {
  if (!(given.gigabits > 0) || given.gigabits > 8000) {
    wrong(fmt::format("--gigabits {}: expected above 0 to 8000", given.gigabits));
  }
  with.ps_per_byte = std::llround(8000 / given.gigabits);
  with.channel_delay = parse_duration(given.channel, "--channel-delay");
  with.switch_delay = parse_duration(given.switching, "--switch-delay");
  with.send_overhead = parse_duration(given.send, "--send-overhead");
  with.receive_overhead = parse_duration(given.receive, "--receive-overhead");
  with.design =
      given.design == "output" ? switch_design::output_queued : switch_design::input_queued;
  with.credits = given.credits == "input" ? flow_control::input : flow_control::crosspoint;
  with.up = given.routing == "random" ? up_choice::random : up_choice::adaptive;
}

nlohmann::ordered_json row_of(const simulate_arguments& given, const std::string& traffic,
                              const simulation_result& seen) {
  return {{"bench", "simulate"},
          {"topology", given.what.on->name()},
          {"traffic", traffic},
          {"seed", given.what.seed},
          {"load", seen.load},
          {"accepted", seen.accepted},
          {"latency_avg_ns", seen.latency_avg_ns},
          {"latency_p99_ns", seen.latency_p99_ns},
          {"packets", seen.packets},
          {"packet_hops", seen.packet_hops},
          {"wall_s", seen.wall_s}};
}

void draw(const simulate_arguments& given, const std::vector<plot_curve>& accepted,
          const std::vector<plot_curve>& latency) {
  const std::string title = fmt::format("{}, {} nodes, {} packets of buffer", given.what.on->name(),
                                        given.what.on->nodes(), given.what.with.buffers);
  write_output(given.plot,
               plot_svg(title, {{"throughput", "load", "share of the links' rate", false, accepted},
                                {"latency", "load", "ns, mean", true, latency}}));
}

/// What each link carried, of what it can: all runs as a page, the last one as a drawing.
void draw_links(const simulate_arguments& given, const std::vector<network_run>& runs) {
  const model::topology& on = *given.what.on;
  const double could = given.what.packets + given.what.warm_up_packets;
  if (given.heat.ends_with(".html")) {
    return write_output(given.heat, page_of(page_kind::network, network_data(on, could, runs)));
  }
  const auto& [traffic, seen] = runs.back();
  std::size_t next = 0;
  const auto take = [&](std::string name, int links) {
    heat_row row{std::move(name), {}};
    for (int i = 0; i < links; ++i) {
      row.values.push_back(static_cast<double>(seen.carried[next++]) / could);
    }
    return row;
  };
  std::vector<heat_row> rows{take("nodes", on.nodes())};
  for (int s = 0; s < on.switches(); ++s) {
    rows.push_back(take(fmt::format("switch {}", s), on.ports(s)));
  }
  write_output(given.heat,
               heat_svg(fmt::format("{}, {}, load {:.3g}: use of the links out of nodes "
                                    "and switches",
                                    on.name(), traffic, seen.load),
                        rows));
}

/// Refuses what is wrong before anything is printed or overwritten.
void check_all(const simulate_arguments& given) {
  check(given.what.with);
  for (const std::string& each : given.traffic) {
    if (is_multicast(each)) {
      check_multicast(given.what, each);
    } else {
      (void)parse_traffic(each, given.what.on->nodes());
    }
  }
  if (!given.json.empty()) check_output(given.json);
  if (!given.plot.empty()) check_output(given.plot);
  if (given.heat.empty()) return;
  if (given.what.on->switches() > most_switches_on_a_page) {
    wrong(fmt::format("--heat draws at most {} switches", most_switches_on_a_page));
  }
  const bool page = given.heat.ends_with(".html");
  if (is_multicast(given.traffic.back()) ||
      (page && std::ranges::any_of(given.traffic, is_multicast))) {
    wrong("--heat does not draw multicasts");
  }
  check_output(given.heat);
}

/// With --machine its NICs and rates, else those of the options.
int simulate_trace(simulate_arguments& given) {
  if (given.traffic.size() != 1) wrong("--traffic trace goes alone");
  if (!given.plot.empty() || !given.heat.empty()) wrong("a trace is not drawn: --json is there");
  if (!given.schedule.machine.empty()) {
    const machine on = load_machine(given.schedule.machine);
    given.what.with = parameters_of(on, *given.what.on, given.schedule.nic_memory);
  }
  return time_trace(given.what, given.traffic.front(), given.json);
}

/// Refuses drawings that there are none of.
void check_drawings(const simulate_arguments& given) {
  const bool times_collective = !given.collective.empty() || !given.exchange.empty();
  if (!given.heat.empty() && (!given.schedule.collective.empty() || times_collective)) {
    wrong("--heat draws traffic by load, not a schedule, a collective or an exchange");
  }
  if (!given.plot.empty() && times_collective) {
    wrong("--plot draws traffic by load, or a schedule by size with --network message");
  }
}

int simulate(simulate_arguments& given) {
  check_drawings(given);
  if (!given.schedule.collective.empty()) {
    given.schedule.topology = given.topology;
    given.schedule.routing = given.routing;
    if (!given.bytes.empty()) given.schedule.bytes = given.bytes;
    given.schedule.seed = given.what.seed;
    given.schedule.json = given.json;
    given.schedule.plot = given.plot;
    given.schedule.quiet = given.quiet;
    return given.network == "message" ? simulate_messages(given.schedule)
                                      : simulate_schedule(given.schedule);
  }
  if (given.topology.empty()) wrong("--topology is missing");
  const auto on = model::make_topology(model::parse_topology(given.topology), given.routing);
  given.what.on = on.get();
  if (given.qsnet) {
    given.what.with = qsnet_parameters();
  } else {
    read_network(given, given.what.with);
  }
  if (!given.exchange.empty()) return time_exchange(given.what, given.exchange, given.traffic);
  if (!given.collective.empty()) return time_collective(given.what, given.collective, given.bytes);
  if (std::any_of(given.traffic.begin(), given.traffic.end(), is_trace)) {
    return simulate_trace(given);
  }
  const std::vector<double> loads = parse_loads(given.load);
  check_all(given);
  std::vector<plot_curve> accepted;
  std::vector<plot_curve> latency;
  std::string rows;
  std::vector<network_run> runs;
  progress_bar bar(given.traffic.size() * loads.size(), given.quiet);
  for (const std::string& traffic : given.traffic) {
    const bool multicast = is_multicast(traffic);
    if (!multicast) given.what.pattern = parse_traffic(traffic, on->nodes());
    accepted.push_back({traffic, {}});
    latency.push_back({traffic, {}});
    fmt::print("# {}, {}\n{:>8} {:>10} {:>16} {:>16} {:>12}\n", on->name(), traffic, "load",
               "accepted", "latency_avg_ns", "latency_p99_ns", "packets");
    for (const double load : loads) {
      given.what.load = load;
      bar.next_run();
      const simulation_result seen = multicast
                                         ? run_multicast(given.what, traffic)
                                         : run(given.what, [&](double done) { bar.show(done); });
      bar.show(1);
      accepted.back().points.emplace_back(load, seen.accepted);
      latency.back().points.emplace_back(load, seen.latency_avg_ns);
      rows += row_of(given, traffic, seen).dump() + "\n";
      runs.push_back({traffic, seen});
      fmt::print("{:8.3f} {:10.4f} {:16.1f} {:16.1f} {:12}\n", load, seen.accepted,
                 seen.latency_avg_ns, seen.latency_p99_ns, seen.packets);
    }
  }
  if (!given.json.empty()) write_output(given.json, rows);
  if (!given.plot.empty()) draw(given, accepted, latency);
  if (!given.heat.empty()) draw_links(given, runs);
  return 0;
}

void add_network_options(CLI::App& command, simulate_arguments& given) {
  network_parameters& with = given.what.with;
  command.add_option("--buffers", with.buffers,
                     "Buffer space in packets of a crosspoint or an input (default: 4)");
  command
      .add_option("--design", given.design,
                  "Side of the switch that queues packets (default: output)")
      ->check(CLI::IsMember({"output", "input"}));
  command
      .add_option("--credits", given.credits,
                  "The unit that has --buffers packets of room (default: crosspoint)")
      ->check(CLI::IsMember({"crosspoint", "input"}));
  command.add_option("--input-queues", with.input_queues,
                     "--design input: queues of an input; 0: one for each output (default: 1)");
  command.add_option("--arbiter-rounds", with.arbiter_rounds,
                     "--design input: rounds of matching in each packet time; 0: match when a port "
                     "is free (default: 0)");
  command.add_flag("--fanout-splitting,!--no-fanout-splitting", with.fanout_splitting,
                   "--arbiter-rounds: a multicast may leave for its outputs one at a time");
  command.add_option("--speedup", with.speedup,
                     "--design input: speedup of the crossbar (default: 1)");
  command.add_option("--combine-units", with.combine_units,
                     "Number of units of a switch that combine packets of reductions (default: 1)");
  command.add_option("--gigabits", given.gigabits, "Bandwidth of a link in Gbit/s (default: 10)");
  command
      .add_option("--packet-bytes", with.packet_bytes, "Size of a packet in bytes (default: 256)")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--channel-delay", given.channel, "Delay of a link (default: 20ns)");
  command.add_option("--switch-delay", given.switching, "Delay of a switch (default: 90ns)");
  command.add_option("--send-overhead", given.send,
                     "Overhead of the NIC per sent message (default: 1300ns)");
  command.add_option("--receive-overhead", given.receive,
                     "Overhead of the NIC per received message (default: 1300ns)");
}

/// The options of --schedule: a collective on the nodes of a machine.
void add_schedule_options(CLI::App& command, simulate_arguments& given) {
  command.add_option("--schedule", given.schedule.collective,
                     "In place of traffic: a collective by its schedule, on --machine");
  command
      .add_option("--algorithm", given.schedule.algorithms,
                  "NAME[:key=value,...], repeatable (default: all)")
      ->allow_extra_args(false);
  command.add_option("-n,--ranks", given.schedule.ranks, "Number of ranks of the team")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--machine", given.schedule.machine, "The machine: a name or a file");
  command.add_flag("--nic-memory", given.schedule.nic_memory,
                   "Data that is sent more than once is sent from the memory of the NIC");
  command.add_flag("--one-rank-a-node", given.schedule.one_rank_a_node);
  command.add_option("--noise", given.schedule.noise,
                     "--schedule: daemons of the nodes: period,length[,together]");
  command
      .add_option(
          "--network", given.network,
          "--schedule: simulate packets, or whole messages for large teams (default: packets)")
      ->check(CLI::IsMember({"packets", "message"}));
  command
      .add_option("--threads", given.schedule.threads,
                  "--network message: number of threads (default: 1)")
      ->check(CLI::Range(1, 256));
  command
      .add_option("--contention", given.schedule.contention,
                  "--network message: no contention, or flows that share links (default: none)")
      ->check(CLI::IsMember({"none", "flows"}));
  command.add_option("--eager", given.schedule.eager,
                     "--schedule: largest eager message in bytes (default: 512)");
}

}  // namespace

void add_simulate(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(
      "simulate", "Run traffic or a collective on a simulated network of switches");
  auto given = std::make_shared<simulate_arguments>();
  command->add_option("--topology", given->topology,
                      "fat-tree:ports=32,levels=2, clos, crossbar, mesh:size=8x8, torus, "
                      "hypercube, dragonfly, or a JSON file");
  command->add_option("--routing", given->routing,
                      "adaptive, random, deterministic, destination, dimension-order, minimal, "
                      "valiant, ugal (default: that of the topology)");
  command
      ->add_option("--traffic", given->traffic,
                   "uniform, hot-spot:node=0,percent=10, transpose, bit-reversal, complement, "
                   "shift:by=1, prefix:by=1, multicast:fanout=8, trace:file=F; repeatable")
      ->allow_extra_args(false);
  command
      ->add_option("--collective", given->collective,
                   "In place of traffic: the time of one collective of all nodes in the switches")
      ->check(CLI::IsMember({"broadcast", "reduce", "all_reduce", "barrier"}));
  command->add_option(
      "--bytes", given->bytes,
      "Sizes of --collective (default: 8 64 256 1k 4k) or of --schedule, which also takes 8:1m:x2");
  command->add_option(
      "--exchange", given->exchange,
      "In place of a load: the time in which each node sends one message of this size");
  command->add_flag("--qsnet", given->qsnet, "The network of QsNet, in place of the options above");
  add_schedule_options(*command, *given);
  command->add_option("--load", given->load,
                      "Load as a share of a link's bandwidth: 0.5 or first:last:step");
  add_network_options(*command, *given);
  command->add_option("--closed", given->what.outstanding,
                      "Closed loop: packets of each node in flight, in place of --load");
  command
      ->add_option("--warm-up", given->what.warm_up_packets,
                   "Packet times before the measurement (default: 300)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--packets", given->what.packets,
                   "Packet times of the measurement (default: 1000)")
      ->check(CLI::Range(1, 1'000'000'000));
  command->add_option("--seed", given->what.seed, "Seed of the traffic (default: 1)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62U));
  command->add_option("--json", given->json, "File for one JSON object per load and traffic");
  command->add_option("--plot", given->plot,
                      "SVG file of throughput and latency by load, or of completion time by size");
  command->add_option("--heat", given->heat,
                      "Load of each link on the topology: an HTML page for all traffic and loads "
                      "(.html), or an SVG file of the last run");
  command->add_flag("--quiet", given->quiet, "Print no progress bar");
  command->callback([given, &status] { status = simulate(*given); });
}

}  // namespace upwash::tools
