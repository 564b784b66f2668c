// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The schema of machines/*.json: every measured value is {"value", "unit", "source"}.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "upwash/base/random.hpp"
#include "upwash/model/detail/file_section.hpp"
#include "upwash/model/detail/json_tree.hpp"
#include "upwash/model/machine.hpp"

namespace upwash {
namespace {

using section = detail::file_section;

loggp_cost read_loggp(const section& at) {
  at.expect_object({"L", "g", "G"});
  return {at.time("L"), at.time("g"), at.per_byte("G")};
}

alpha_beta_cost read_alpha_beta(const section& at) {
  at.expect_object({"combine", "pieces"});
  alpha_beta_cost result;
  const bool by_size = at.choice("combine", {"by_size", "maximum"}) == 0;
  result.combine = by_size ? alpha_beta_cost::rule::by_size : alpha_beta_cost::rule::maximum;
  for (const section& entry : at.children("pieces")) {
    entry.expect_object({"from_bytes", "alpha", "beta"});
    const auto from = static_cast<std::uint64_t>(entry.number("from_bytes"));
    const bool first = result.pieces.empty();
    const bool rises = !first && from > result.pieces.back().from_bytes;
    if (by_size && !first ? !rises : from != 0) {
      entry.fail("from_bytes", by_size ? "the first piece starts at 0 and each later one further up"
                                       : "all pieces of a maximum start at 0");
    }
    result.pieces.push_back({from, entry.time("alpha"), entry.per_byte("beta")});
  }
  return result;
}

machine_level read_level(const section& at, bool last) {
  at.expect_object({"level", "ranks", "o_send", "o_receive", "o_send_per_byte",
                    "o_receive_per_byte", "loggp", "alpha_beta"});
  machine_level result;
  result.kind = static_cast<level_kind>(
      at.choice("level", {"core", "cache", "socket", "node", "group", "network"}));
  if (last && at.has("ranks")) {
    at.fail("ranks", "the outermost level holds all ranks; leave the key out");
  }
  if (!last) result.ranks = at.count("ranks");
  at.maybe("o_send", result.send_overhead, &section::time);
  at.maybe("o_receive", result.receive_overhead, &section::time);
  at.maybe("o_send_per_byte", result.send_ns_per_byte, &section::per_byte);
  at.maybe("o_receive_per_byte", result.receive_ns_per_byte, &section::per_byte);
  if (at.has("loggp")) {
    result.loggp = read_loggp(at.child("loggp"));
    (void)at.require("o_send");
    (void)at.require("o_receive");
  }
  if (at.has("alpha_beta")) result.alpha_beta = read_alpha_beta(at.child("alpha_beta"));
  if (last && !result.has_costs()) (void)at.require("loggp");
  return result;
}

void read_levels(const section& file, machine& result) {
  const std::vector<section> entries = file.children("levels");
  for (const section& entry : entries) {
    const bool last = &entry == &entries.back();
    machine_level level = read_level(entry, last);
    if (!result.levels.empty()) {
      const machine_level& inner = result.levels.back();
      if (level.kind <= inner.kind) {
        entry.fail("level", "levels go from inside out: core, cache, socket, node, group, network");
      }
      if (level.ranks && *level.ranks % *inner.ranks != 0) {
        entry.fail("ranks", fmt::format("{} is not a multiple of the level inside, {}",
                                        *level.ranks, *inner.ranks));
      }
    }
    result.levels.push_back(std::move(level));
  }
}

void read_processor(const section& at, processor_costs& result) {
  at.expect_object({"cores_per_node", "copy", "combine", "handler", "push", "reduce", "traversal",
                    "poll", "core_switch", "edge", "edge_per_byte", "communication_thread"});
  at.maybe("cores_per_node", result.cores_per_node, &section::count);
  at.maybe("copy", result.copy_ns_per_byte, &section::per_byte);
  at.maybe("combine", result.combine, &section::time);
  at.maybe("handler", result.handler, &section::time);
  at.maybe("push", result.push, &section::time);
  at.maybe("reduce", result.reduce_ns_per_byte, &section::per_byte);
  at.maybe("traversal", result.traversal, &section::time);
  at.maybe("poll", result.poll, &section::time);
  at.maybe("core_switch", result.core_switch, &section::time);
  at.maybe("edge", result.edge, &section::time);
  at.maybe("edge_per_byte", result.edge_ns_per_byte, &section::per_byte);
  if (at.has("communication_thread")) {
    result.communication_thread = at.sourced_choice("communication_thread", {"no", "yes"}) == 1;
  }
}

void read_nic(const section& at, nic_protocol& result) {
  at.expect_object(
      {"matching", "budget", "of", "packet", "packets_in_flight", "memory_beta", "memory_copy"});
  if (at.has("matching")) {
    result.matching =
        static_cast<nic_protocol::matcher>(at.sourced_choice("matching", {"processor", "nic"}));
  }
  if (at.has("budget")) {
    result.traffic =
        static_cast<nic_protocol::budget>(at.sourced_choice("budget", {"separate", "shared"}));
  }
  if (at.has("of")) {
    result.of = static_cast<nic_protocol::owner>(at.sourced_choice("of", {"rank", "node"}));
  }
  at.maybe("packet", result.packet_bytes, &section::bytes);
  at.maybe("packets_in_flight", result.packets_in_flight, &section::count);
  at.maybe("memory_beta", result.memory_beta_ns_per_byte, &section::per_byte);
  at.maybe("memory_copy", result.memory_copy_ns_per_byte, &section::per_byte);
}

machine_topology read_topology(const section& at) {
  at.expect_object({"kind", "parameters", "source"});
  (void)at.text("source");
  machine_topology result{at.text("kind"), {}};
  const section parameters = at.child("parameters");
  for (const auto& [key, value] : at.require("parameters").members) {
    result.parameters.emplace_back(key, static_cast<std::int64_t>(parameters.number(key)));
  }
  return result;
}

std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size();
  for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
    hash = mixed_bits(hash ^ word);
  }
  return hash;
}

}  // namespace

machine parse_machine(std::string_view text, std::string_view origin) {
  const detail::json_node tree = detail::parse_json_tree(text, origin);
  const section file(tree, origin);
  file.expect_object({"name", "description", "notes", "levels", "processor", "nic", "topology"});
  machine result;
  result.name = file.text("name");
  result.origin = std::string(origin);
  result.text_hash = hash_of(text);
  read_levels(file, result);
  if (file.has("processor")) read_processor(file.child("processor"), result.processor);
  if (file.has("nic")) read_nic(file.child("nic"), result.nic);
  if (file.has("topology")) result.topology = read_topology(file.child("topology"));
  return result;
}

}  // namespace upwash
