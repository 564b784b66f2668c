// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/simulate_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/packet_carrier.hpp"
#include "upwash/simulator/replay.hpp"

namespace upwash::tools {
namespace {

using collective::registry;
using collective::selection;

[[noreturn]] void wrong(const std::string& what) {
  throw error(error_kind::argument, "simulate: " + what);
}

duration completion(const selection& with, const collective::problem& call, const machine& on,
                    const schedule::transfer_rules& rules, const simulator::noise& daemons,
                    simulator::carrier* through) {
  simulator::replay_options options;
  options.free_where_absent = true;
  options.through = through;
  options.daemons = daemons;
  duration last;
  const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
  for (const auto& each : simulator::replay(call.ranks, steps, on, rules, options)) {
    last = std::max(last, each.completion);
  }
  return last;
}

}  // namespace

machine machine_of(const schedule_run& what) {
  if (what.ranks < 1) wrong("--schedule needs -n, the ranks of the team");
  if (what.machine.empty()) wrong("--schedule needs --machine");
  machine on = load_machine(what.machine);
  if (what.one_rank_a_node) on = with_ranks_a_node(std::move(on), 1);
  return on;
}

collective::problem problem_of(const schedule_run& what, std::uint64_t bytes) {
  collective::problem call;
  call.of = collective::kind_named(what.collective);
  call.ranks = what.ranks;
  call.bytes = bytes;
  call.element_bytes = call.bytes % 8 == 0 ? 8 : 1;
  call.addresses = schedule::address_mode::single;
  call.eager_bytes = parse_bytes(what.eager, "--eager");
  return call;
}

schedule::transfer_rules rules_of(const schedule_run& what) {
  schedule::transfer_rules rules;
  rules.addresses = schedule::address_mode::single;
  rules.eager_bytes = parse_bytes(what.eager, "--eager");
  return rules;
}

std::vector<std::uint64_t> sizes_of(const schedule_run& what) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& text : what.bytes) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
      sizes.push_back(parse_bytes(text, "--bytes"));
      continue;
    }
    const std::size_t times = text.find(":x", colon + 1);
    if (times == std::string::npos) {
      wrong(fmt::format("--bytes {}: expected first:last:xFACTOR as in 8:1m:x2", text));
    }
    const std::uint64_t first = parse_bytes(text.substr(0, colon), "--bytes, first");
    const std::uint64_t last =
        parse_bytes(text.substr(colon + 1, times - colon - 1), "--bytes, last");
    const std::uint64_t factor = parse_bytes(text.substr(times + 2), "--bytes, factor");
    if (first == 0 || last < first || factor < 2 || last > std::uint64_t{1} << 40U) {
      wrong(fmt::format(
          "--bytes {}: expected 1 <= first <= last <= 1024g and a factor of 2 or more", text));
    }
    for (std::uint64_t size = first; size <= last; size *= factor) sizes.push_back(size);
  }
  return sizes;
}

std::vector<selection> candidates(const registry& all, const collective::problem& call,
                                  const schedule_run& what) {
  std::vector<selection> found;
  for (const std::string& algorithm : what.algorithms) {
    found.push_back(all.named(call.of, algorithm));
    if (const std::string no = registry::objection(found.back(), call); !no.empty()) wrong(no);
  }
  if (!found.empty()) return found;
  for (const collective::algorithm* each : all.of(call.of)) {
    const selection with{each, model::initial_values(each->is)};
    if (registry::objection(with, call).empty()) found.push_back(with);
  }
  return found;
}

simulator::noise noise_of(const schedule_run& what) {
  return simulator::parse_noise(what.noise, "simulate: --noise", what.seed);
}

int simulate_schedule(const schedule_run& what) {
  if (!what.json.empty() || !what.plot.empty() || what.threads != 1 || what.contention != "none") {
    wrong(
        "--json, --plot, --threads and --contention go with --schedule only where it has "
        "--network message");
  }
  const machine on = machine_of(what);
  registry all;
  collective::add_algorithms(all);
  collective::problem call = problem_of(what, sizes_of(what).front());
  const int each_node = std::min(on.ranks_in(level_kind::node), what.ranks);
  call.ranks_per_node = each_node;
  const int nodes = (what.ranks + each_node - 1) / each_node;
  const auto network = model::make_topology(
      what.topology.empty() ? model::topology_of(on, nodes) : model::parse_topology(what.topology),
      what.routing);
  const simulator::network_parameters with =
      simulator::parameters_of(on, *network, what.nic_memory);
  check(with);
  call.network_collectives =
      simulator::packet_carrier(*network, with, what.ranks, each_node, what.seed).has_collectives();
  const schedule::transfer_rules rules = rules_of(what);
  const simulator::noise daemons = noise_of(what);
  fmt::print("# {} of {} bytes, {} ranks on {}, {}\n{:<32} {:>14} {:>14} {:>12}\n", what.collective,
             call.bytes, what.ranks, on.name, network->name(), "algorithm", "packets_us",
             "messages_us", "packet_hops");
  for (const selection& each : candidates(all, call, what)) {
    simulator::packet_carrier carrier(*network, with, what.ranks, each_node, what.seed);
    const duration packets = completion(each, call, on, rules, daemons, &carrier);
    const bool by_switches = (each.chosen->is.requirements & model::needs_network) != 0;
    const std::string messages =
        by_switches
            ? "-"
            : fmt::format("{:.3f}", completion(each, call, on, rules, daemons, nullptr).us());
    fmt::print("{:<32} {:14.3f} {:>14} {:12}\n", model::text_of(each.chosen->is, each.with),
               packets.us(), messages, carrier.network().packet_hops());
  }
  return 0;
}

}  // namespace upwash::tools
