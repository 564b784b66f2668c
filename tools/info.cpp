// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/machine_facts.hpp"
#include "upwash/base/atomic_text.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/version.hpp"
#include "upwash/runtime/describe.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::tools {
namespace {

using json = nlohmann::ordered_json;

struct options {
  bool as_json = false;
  bool knobs = false;
  std::string level = "user";
};

constexpr std::array<std::string_view, 3> level_names{"user", "tuner", "developer"};
constexpr std::array<std::string_view, 6> type_names{"flag", "integer", "bytes",
                                                     "time", "text",    "choice"};
constexpr std::array<std::string_view, 4> source_names{"default", "file", "environment",
                                                       "command line"};

template <std::size_t N, class Enum>
std::string_view name_in(const std::array<std::string_view, N>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

json version_facts() {
  return {{"version", UPWASH_VERSION},
          {"source", UPWASH_SOURCE_VERSION},
          {"build_type", UPWASH_BUILD_TYPE},
          {"compiler", UPWASH_COMPILER},
          {"flags", UPWASH_FLAGS}};
}

json peer_facts(const conduit::peer_capabilities& can) {
  return {{"direct_access", can.direct_access},
          {"remote_write", can.remote_write},
          {"private_reads", can.private_reads},
          {"remote_completion", can.remote_completion},
          {"put_signal", can.put_signal},
          {"atomics", to_string(can.atomics)},
          {"long_messages", can.long_messages},
          {"in_place", can.in_place},
          {"medium_payload_bytes", can.medium_bytes}};
}

json capability_facts(const conduit_description& conduit) {
  json facts{{"doc", conduit.doc}, {"several_processes", conduit.several_processes}};
  for (const auto& [name, value] : conduit.facts) facts[name] = value;
  if (!conduit.unavailable.empty()) {
    facts["unavailable"] = conduit.unavailable;
    return facts;
  }
  const conduit::capabilities& can = conduit.can;
  facts["ordered"] = can.ordered;
  facts["virtual_time"] = can.virtual_time;
  facts["network_collectives"] = can.network_collectives;
  constexpr std::array<const char*, conduit::nearness_count> classes{
      "peers_in_process", "peers_on_node", "remote_peers"};
  if (can.uniform()) {
    facts["any_peer"] = peer_facts(can.peers[0]);
  } else {
    for (std::size_t i = 0; i < classes.size(); ++i) facts[classes[i]] = peer_facts(can.peers[i]);
  }
  return facts;
}

json conduit_facts() {
  json facts;
  for (const auto& each : describe_conduits())
    facts[std::string(each.name)] = capability_facts(each);
  return facts;
}

/// The rows up to a level, with values and where they came from.
json knob_facts(const std::string& level) {
  knob_table table;
  add_all_knobs(table);
  const auto values = settings::from_environment(table);
  const auto* found = std::find(level_names.begin(), level_names.end(), level);
  const auto most = static_cast<knob_level>(found - level_names.begin());
  json rows = json::array();
  for (const auto& each : values.values()) {
    if (each.row.level > most) continue;
    json row{{"name", each.row.name},
             {"variable", knob_variable(each.row.name)},
             {"type", name_in(type_names, each.row.type)},
             {"level", name_in(level_names, each.row.level)},
             {"default", each.row.fallback},
             {"value", each.text},
             {"source", name_in(source_names, each.source)},
             {"doc", each.row.doc}};
    if (each.row.type == knob_type::choice) row["choices"] = each.row.choices;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string binary_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", amount, unit == 0 || amount >= 100 ? 0 : 1, units.at(unit));
}

std::string text_of(std::string_view name, const json& value) {
  if (value.is_null()) return "unknown";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (name.ends_with("_bytes")) return binary_size(value.get<std::uint64_t>());
  return value.dump();
}

/// "locked_memory_bytes" is read as "locked memory".
std::string label_of(std::string name) {
  if (name.ends_with("_bytes")) name.resize(name.size() - std::string_view("_bytes").size());
  for (char& c : name) c = c == '_' ? ' ' : c;
  return name;
}

void print_object(const json& object, int depth) {
  for (const auto& [name, value] : object.items()) {
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    if (value.is_object()) {
      fmt::print("{}{}\n", indent, label_of(name));
      print_object(value, depth + 1);
    } else {
      fmt::print("{}{:<{}} {}\n", indent, label_of(name), 26 - 2 * depth, text_of(name, value));
    }
  }
}

void print_knobs(const json& rows) {
  for (const auto& row : rows) {
    const auto field = [&](const char* name) { return row.at(name).get<std::string>(); };
    const auto type = row.contains("choices") ? field("choices") : field("type");
    fmt::print("{}={}\n    {}\n    {}, {}; default \"{}\"; value from: {}\n", field("variable"),
               field("value"), field("doc"), type, field("level"), field("default"),
               field("source"));
  }
}

int run_info(const options& asked) {
  // Every program would refuse what is wrong in the variables or the file: so does this.
  knob_table table;
  add_all_knobs(table);
  static_cast<void>(settings::from_environment(table));
  if (asked.knobs) {
    const auto rows = knob_facts(asked.level);
    if (asked.as_json) {
      fmt::print("{}\n", rows.dump(2));
    } else {
      print_knobs(rows);
    }
    return 0;
  }
  const json facts{{"upwash", version_facts()},
                   {"conduits", conduit_facts()},
                   {"machine", topology_facts()},
                   {"limits", limit_facts()}};
  if (asked.as_json) {
    fmt::print("{}\n", facts.dump(2));
  } else {
    print_object(facts, 0);
  }
  return 0;
}

}  // namespace

void add_info(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(
      "info", "Print the version, the conduits, this machine, its limits and the knobs");
  const auto asked = std::make_shared<options>();
  command->add_flag("--json", asked->as_json, "Print one JSON document");
  auto* knobs = command->add_flag("--knobs", asked->knobs, "Print only the knobs");
  command->add_option("--level", asked->level, "--knobs: up to this level: user, tuner, developer")
      ->check(CLI::IsMember({"user", "tuner", "developer"}))
      ->needs(knobs)
      ->capture_default_str();
  command->callback([asked, &status] { status = run_info(*asked); });
}

}  // namespace upwash::tools
