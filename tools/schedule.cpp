// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash schedule COLLECTIVE`: which algorithms there are, what one of them does rank by rank,
// what it takes on a machine, and a drawing.
#include "tools/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/eager_limit.hpp"
#include "tools/schedule_neighbors.hpp"
#include "tools/schedule_page.hpp"
#include "tools/schedule_text.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/eager_sizes.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/network_costs.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/schedule/draw.hpp"

namespace upwash::tools {
namespace {

using schedule::address_mode;
using schedule::sync_mode;

struct schedule_arguments {
  std::string collective;
  std::string algorithm;
  int ranks = 0;
  std::string bytes = "8";
  std::string element = "1";
  int rank = -1;
  int root = 0;
  int degree = 1;
  int ranks_per_process = 1;
  std::string machine;
  std::string mechanism;
  std::string addresses = "local";
  std::string sync = "mine";
  std::string eager;
  std::string conduit = "sim";
  bool direct = false;
  bool in_place = false;
  bool ordered = false;
  bool free_work = false;
  bool combining = false;
  bool nic_memory = false;
  std::string costs;
  bool text = false;
  bool json = false;
  bool svg = false;
  bool html = false;
  neighbor_arguments neighbors;
};

[[noreturn]] void wrong(const std::string& what) {
  throw error(error_kind::argument, "schedule: " + what);
}

std::uint64_t bytes_of(const schedule_arguments& given) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40U;
  const std::uint64_t bytes = parse_bytes(given.bytes, "--bytes");
  if (bytes > most_bytes) {
    wrong(fmt::format("--bytes {} is more than 1024g: times would not fit", given.bytes));
  }
  return bytes;
}

std::string machine_of(const schedule_arguments& given) {
  const int each = given.neighbors.ranks_per_node;
  return each == 0 ? given.machine : fmt::format("{}:ranks_a_node={}", given.machine, each);
}

/// Nodes whose ranks share memory, where there are several.
model::shared_node_map nodes_of(const asked_schedule& asked, const schedule_arguments& given) {
  int each = given.neighbors.ranks_per_node;
  if (each == 0) each = asked.on ? asked.on->ranks_in(level_kind::node) : given.ranks;
  auto made =
      std::make_shared<const model::node_map>(model::node_map::in_blocks(given.ranks, each));
  if (!made->has_levels()) return {};
  return {std::move(made)};
}

/// What was asked for, read and checked.
asked_schedule read(const schedule_arguments& given) {
  asked_schedule asked;
  collective::problem& call = asked.call;
  call.of = collective::kind_named(given.collective);
  call.ranks = given.ranks;
  call.bytes = bytes_of(given);
  call.element_bytes = static_cast<std::uint32_t>(parse_bytes(given.element, "--element"));
  call.root = given.root;
  // As all broadcasts are.
  call.in_place = given.in_place || call.of.facts().one_buffer;
  call.commutative = !given.ordered;
  call.addresses = given.addresses == "single" ? address_mode::single : address_mode::local;
  call.direct_access = given.direct;
  call.entry = given.sync == "none"  ? sync_mode::none
               : given.sync == "all" ? sync_mode::all
                                     : sync_mode::mine;
  if (!given.mechanism.empty()) call.transfer = mechanism_named(given.mechanism);
  if (!given.eager.empty()) call.eager_bytes = parse_bytes(given.eager, "--eager");
  asked.options.free_where_absent = given.free_work;
  asked.options.charge_combining = given.combining;
  asked.options.from_nic_memory = given.nic_memory;
  using costs = schedule::price_options::costs;
  if (!given.costs.empty()) {
    asked.options.messages = given.costs == "loggp" ? costs::loggp : costs::alpha_beta;
  }
  if (!given.machine.empty()) asked.on = load_machine(machine_of(given));
  if (asked.on && !asked.on->processor.copy_ns_per_byte) {
    asked.on->processor.copy_ns_per_byte = 0;
    asked.copies_free = true;
  }
  if (given.ranks == 0) return asked;
  if (given.degree < 0 || given.degree > given.ranks) {
    wrong(fmt::format("--degree {} is not in 0 .. {}, the ranks", given.degree, given.ranks));
  }
  call.degree = given.degree;
  call.known_senders = true;
  asked.lengths = equal_lengths(call, given.degree);
  if (call.element_bytes == 0 || call.bytes % call.element_bytes != 0) {
    wrong(fmt::format("--bytes {} is not a multiple of --element {}", given.bytes, given.element));
  }
  if (given.root < 0 || given.root >= given.ranks || given.rank >= given.ranks) {
    wrong(
        fmt::format("--root {} and --rank must be ranks of 0 .. {}", given.root, given.ranks - 1));
  }
  if (given.rank >= 0) asked.rank = given.rank;
  if (given.ranks_per_process > 1 && given.ranks > 1) {
    call.processes = (given.ranks + given.ranks_per_process - 1) / given.ranks_per_process;
  }
  if (given.neighbors.node_memory) call.nodes = nodes_of(asked, given);
  if (asked.on) {
    call.ranks_per_node = std::min(asked.on->ranks_in(level_kind::node), given.ranks);
    call.network_collectives = model::has_network_collectives(*asked.on);
    if (given.eager.empty()) {
      call.eager_limit = eager_limit_of(given.conduit);
      call.eager_bytes = collective::predictor(*asked.on).eager().usual(call);
    }
  }
  return asked;
}

int list(const collective::registry& all, const asked_schedule& asked,
         const schedule_arguments& given) {
  if (given.svg || given.html || given.rank >= 0)
    wrong("--svg, --html and --rank need --algorithm");
  if (asked.on && given.ranks == 0) wrong("--machine needs -n: a price is one for a team");
  std::string chosen;
  if (asked.on) {
    const auto selects = collective::make_model_selector(machine_of(given));
    chosen = text_of(selects->choose(all, asked.call).what);
  }
  if (given.json) {
    print_algorithms_json(all, asked, chosen);
  } else {
    print_algorithms(all, asked, chosen);
  }
  return 0;
}

int show(const schedule_arguments& given) {
  if (is_neighbor_collective(given.collective)) {
    neighbor_arguments asked = given.neighbors;
    if (!given.eager.empty()) asked.eager_bytes = parse_bytes(given.eager, "--eager");
    asked.eager_limit = eager_limit_of(given.conduit);
    return show_neighbors(given.collective, asked, given.ranks, bytes_of(given), given.machine,
                          given.json);
  }
  if (!given.neighbors.graph.empty() || !given.neighbors.scheme.empty()) {
    wrong("--graph and --scheme are for neighbor_all_gather and neighbor_all_to_all");
  }
  collective::registry all;
  collective::add_algorithms(all);
  asked_schedule asked = read(given);
  if (given.algorithm.empty()) return list(all, asked, given);
  if (given.ranks == 0) wrong("-n is missing: the ranks of the team");
  if (given.text + given.json + given.svg + given.html > 1) {
    wrong("choose one of --text, --json, --svg, --html");
  }
  asked.with = all.named(asked.call.of, given.algorithm);
  if (const std::string no = collective::registry::objection(asked.with, asked.call); !no.empty()) {
    wrong(no);
  }
  record_if_needed(asked);
  if (given.svg || given.html) {
    schedule::drawing of;
    of.title = fmt::format("{} {}, {} ranks, {} bytes", given.collective, text_of(asked.with),
                           given.ranks, asked.call.bytes);
    of.ranks = given.ranks;
    of.on = asked.on ? &*asked.on : nullptr;
    of.rules = asked.rules();
    const auto steps_of = [&](int rank) { return asked.steps_of(rank); };
    fmt::print("{}", given.svg ? draw_svg(of, steps_of) : schedule_page(of, steps_of));
  } else if (given.json) {
    print_json(asked);
  } else {
    print_text(asked);
  }
  return 0;
}

/// The options of the call and of the machine that prices depend on.
void add_price_options(CLI::App& command, schedule_arguments& given) {
  command.add_option("--machine", given.machine,
                     "Price the schedule on this machine: a name or a file");
  command
      .add_option("--mechanism", given.mechanism,
                  "The transfer of each message, if the algorithm allows it")
      ->check(CLI::IsMember({"eager", "signalling_put", "rendezvous", "single_copy", "matched"}));
  command
      .add_option(
          "--addresses", given.addresses,
          "The buffer addresses that a rank knows: its own, or those of all ranks (default: local)")
      ->check(CLI::IsMember({"local", "single"}));
  command.add_option("--sync", given.sync, "Synchronisation on entry (default: mine)")
      ->check(CLI::IsMember({"none", "mine", "all"}));
  command.add_option(
      "--eager", given.eager,
      "Largest eager message in bytes (default: chosen by price; without a machine, 512)");
  command
      .add_option("--conduit", given.conduit,
                  "The conduit, whose limits bound eager messages (default: sim)")
      ->check(CLI::IsMember(conduit_names()));
  command.add_flag("--direct", given.direct, "Ranks load and store each other's memory");
  command.add_flag("--in-place", given.in_place, "The output holds the input");
  command.add_flag("--ordered", given.ordered, "The operator does not commute");
  command.add_flag("--free-work", given.free_work,
                   "Copies and reductions without a cost in the machine file take no time");
  command.add_flag("--nic-memory", given.nic_memory,
                   "Data that is sent more than once is sent from the memory of the NIC");
  command.add_flag(
      "--combining", given.combining,
      "A copy into scratch that is sent later counts as a message combined into another");
  command
      .add_option("--costs", given.costs,
                  "The cost model, if the machine file has both (default: alpha_beta)")
      ->check(CLI::IsMember({"loggp", "alpha_beta"}));
}

void add_output_options(CLI::App& command, schedule_arguments& given) {
  command.add_flag("--text", given.text, "Print steps and counts as text (default)");
  command.add_flag("--json", given.json, "Print one JSON object per rank, or per algorithm");
  command.add_flag("--svg", given.svg, "Print a drawing as SVG");
  command.add_flag("--html", given.html, "Print an HTML page that steps through the schedule");
}

}  // namespace

void add_schedule(CLI::App& app, int& status) {
  auto* command =
      app.add_subcommand("schedule", "Show, price and draw the schedule of a collective");
  auto given = std::make_shared<schedule_arguments>();
  command
      ->add_option("collective", given->collective,
                   "The collective: barrier, broadcast, all_gather, ...")
      ->required();
  command->add_option("--algorithm", given->algorithm,
                      "The algorithm: NAME[:key=value,...]; without it, list all algorithms");
  command->add_option("-n,--ranks", given->ranks, "Number of ranks of the team")
      ->check(CLI::Range(1, 1 << 30));
  command->add_option(
      "--bytes", given->bytes,
      "Size of the vector or of one block, also for the v variants, as 64k (default: 8)");
  command->add_option("--element", given->element,
                      "Size of an element of a reduction in bytes (default: 1)");
  command->add_option("--rank", given->rank, "Show the steps of this rank only")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--root", given->root, "Root of a rooted collective (default: 0)");
  command->add_option(
      "--graph", given->neighbors.graph,
      "neighbor_*: the graph of neighbours, as moore:d=2,r=4 or random:permille=50");
  command->add_option("--scheme", given->neighbors.scheme,
                      "neighbor_*: one scheme, or best; without it, all schemes");
  command->add_flag(
      "--node-memory", given->neighbors.node_memory,
      "Ranks of a node load and store each other's memory; neighbor_*: they exchange blocks there");
  command
      ->add_option("--ranks-per-node", given->neighbors.ranks_per_node,
                   "Number of ranks on each node (default: as many as the machine has room for); "
                   "neighbor_*: also without a machine")
      ->check(CLI::Range(1, 1 << 20));
  command
      ->add_option("--ranks-per-process", given->ranks_per_process,
                   "Number of ranks that share a process as fibers (default: 1)")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--degree", given->degree,
                      "many_to_many, also multicast: rank i sends to i+1 .. i+DEGREE (default: 1)");
  add_price_options(*command, *given);
  add_output_options(*command, *given);
  command->callback([given, &status] { status = show(*given); });
}

}  // namespace upwash::tools
