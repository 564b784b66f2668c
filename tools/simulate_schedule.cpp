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

collective::problem problem_of(const schedule_run& what) {
  collective::problem call;
  call.what = collective::kind_named(what.collective);
  call.ranks = what.ranks;
  call.bytes = parse_bytes(what.bytes, "--bytes");
  call.element_bytes = call.bytes % 8 == 0 ? 8 : 1;
  call.addresses = schedule::address_mode::single;
  return call;
}

std::vector<selection> candidates(const registry& all, const collective::problem& call,
                                  const std::string& algorithm) {
  if (!algorithm.empty()) {
    const selection with = all.named(call.what, algorithm);
    if (const std::string no = registry::objection(with, call); !no.empty()) wrong(no);
    return {with};
  }
  std::vector<selection> found;
  for (const collective::algorithm* each : all.of(call.what)) {
    const selection with{each, model::initial_values(each->is)};
    if (registry::objection(with, call).empty()) found.push_back(with);
  }
  return found;
}

duration completion(const selection& with, const collective::problem& call, const machine& on,
                    const simulator::noise& daemons, simulator::carrier* through) {
  simulator::replay_options options;
  options.free_where_absent = true;
  options.through = through;
  options.daemons = daemons;
  schedule::transfer_rules rules;
  rules.addresses = call.addresses;
  duration last;
  const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
  for (const auto& each : simulator::replay(call.ranks, steps, on, rules, options)) {
    last = std::max(last, each.completion);
  }
  return last;
}

}  // namespace

int simulate_schedule(const schedule_run& what) {
  if (what.ranks < 1) wrong("--schedule needs -n, the ranks of the team");
  if (what.machine.empty()) wrong("--schedule needs --machine");
  machine on = load_machine(what.machine);
  if (what.one_rank_a_node) on = with_ranks_a_node(std::move(on), 1);
  registry all;
  collective::add_algorithms(all);
  collective::problem call = problem_of(what);
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
  const simulator::noise daemons =
      simulator::parse_noise(what.noise, "simulate: --noise", what.seed);
  fmt::print("# {} of {} bytes, {} ranks on {}, {}\n{:<32} {:>14} {:>14} {:>12}\n", what.collective,
             call.bytes, what.ranks, on.name, network->name(), "algorithm", "packets_us",
             "messages_us", "packet_hops");
  for (const selection& each : candidates(all, call, what.algorithm)) {
    simulator::packet_carrier carrier(*network, with, what.ranks, each_node, what.seed);
    const duration packets = completion(each, call, on, daemons, &carrier);
    const bool by_switches = (each.chosen->is.requirements & model::needs_network) != 0;
    const std::string messages =
        by_switches ? "-"
                    : fmt::format("{:.3f}", completion(each, call, on, daemons, nullptr).us());
    fmt::print("{:<32} {:14.3f} {:>14} {:12}\n", model::text_of(each.chosen->is, each.with),
               packets.us(), messages, carrier.network().packet_hops());
  }
  return 0;
}

}  // namespace upwash::tools
