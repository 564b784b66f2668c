// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The schema of machines/*.json: every measured value is {"value", "unit", "source"}.
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/model/detail/json_tree.hpp"
#include "upwash/model/machine.hpp"

namespace upwash {
namespace {

using detail::json_node;
using names = std::initializer_list<std::string_view>;

std::string join(names valid) {
  std::string text;
  for (const std::string_view each : valid) {
    if (!text.empty()) text += ", ";
    text += each;
  }
  return text;
}

/// One object of the file with its key path; every complaint goes through `fail`.
class section {
 public:
  section(const json_node& node, std::string_view origin, std::string path)
      : node_(&node), origin_(origin), path_(std::move(path)) {}

  [[noreturn]] void fail(const json_node& at, std::string_view path, std::string_view what) const {
    throw error(error_kind::configuration, fmt::format("{}, line {}: {}: {}", origin_, at.line,
                                                       path.empty() ? "the file" : path, what));
  }

  [[nodiscard]] std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  void expect_object(names valid) const {
    if (node_->what != json_node::type::object) {
      fail(*node_, path_, fmt::format("expected an object, got {}", node_->describe()));
    }
    for (const auto& [key, value] : node_->members) {
      if (std::find(valid.begin(), valid.end(), key) != valid.end()) continue;
      const std::vector<std::string_view> candidates(valid.begin(), valid.end());
      const std::string_view near = nearest_name(key, candidates);
      fail(value, path_of(key),
           fmt::format("unknown key{}; valid: {}",
                       near.empty() ? "" : fmt::format(", did you mean {}?", near), join(valid)));
    }
  }

  [[nodiscard]] const json_node* find(std::string_view key) const { return node_->find(key); }

  [[nodiscard]] const json_node& require(std::string_view key) const {
    const json_node* value = node_->find(key);
    if (value == nullptr) {
      fail(*node_, path_, fmt::format("the key {} is missing", key));
    }
    return *value;
  }

  [[nodiscard]] section child(std::string_view key) const {
    return {require(key), origin_, path_of(key)};
  }

  [[nodiscard]] std::vector<section> children(std::string_view key) const {
    const json_node& list = require(key);
    if (list.what != json_node::type::array || list.elements.empty()) {
      fail(list, path_of(key),
           fmt::format("expected a list with at least one entry, got {}", list.describe()));
    }
    std::vector<section> result;
    for (std::size_t i = 0; i < list.elements.size(); ++i) {
      result.push_back({list.elements[i], origin_, fmt::format("{}[{}]", path_of(key), i)});
    }
    return result;
  }

  [[nodiscard]] std::string text(std::string_view key) const {
    const json_node& value = require(key);
    if (value.what != json_node::type::string || value.text.empty()) {
      fail(value, path_of(key), fmt::format("expected a text, got {}", value.describe()));
    }
    return value.text;
  }

  /// The position of the text `key` in `valid`.
  [[nodiscard]] std::size_t choice(std::string_view key, names valid) const {
    const std::string seen = text(key);
    const auto at = std::find(valid.begin(), valid.end(), seen);
    if (at == valid.end()) {
      fail(require(key), path_of(key), fmt::format("\"{}\" is not one of: {}", seen, join(valid)));
    }
    return static_cast<std::size_t>(at - valid.begin());
  }

  [[nodiscard]] double number(std::string_view key) const {
    const json_node& value = require(key);
    if (value.what != json_node::type::number) {
      fail(value, path_of(key), fmt::format("expected a number, got {}", value.describe()));
    }
    if (!(value.number >= 0) || !(value.number < 1e15)) {
      fail(value, path_of(key), fmt::format("{} is out of range: 0 to 1e15", value.describe()));
    }
    return value.number;
  }

  /// {"value", "unit", "source"} with one of the units; the value times its unit's factor.
  struct unit {
    std::string_view name;
    double factor;
  };
  [[nodiscard]] double quantity(std::string_view key, std::initializer_list<unit> units) const {
    const section at = child(key);
    at.expect_object({"value", "unit", "source"});
    (void)at.text("source");
    const double value = at.number("value");
    if (units.size() == 0) return value;
    const std::string seen = at.text("unit");
    std::string valid;
    for (const unit& each : units) {
      if (each.name == seen) return value * each.factor;
      valid += fmt::format("{}{}", valid.empty() ? "" : ", ", each.name);
    }
    at.fail(at.require("unit"), at.path_of("unit"),
            fmt::format("\"{}\" is not one of: {}", seen, valid));
  }

  [[nodiscard]] duration time(std::string_view key) const {
    return duration::from_ns(
        quantity(key, {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"ps", 1e-3}}));
  }
  [[nodiscard]] double per_byte(std::string_view key) const {
    return quantity(key, {{"ns/B", 1}, {"us/B", 1e3}, {"ps/B", 1e-3}});
  }
  [[nodiscard]] std::uint64_t bytes(std::string_view key) const {
    return static_cast<std::uint64_t>(
        quantity(key, {{"B", 1}, {"KiB", 1024}, {"MiB", 1024.0 * 1024}}));
  }
  [[nodiscard]] int count(std::string_view key) const {
    const double value = quantity(key, {});
    if (value < 1 || value > std::numeric_limits<int>::max() || value != std::floor(value)) {
      const section at = child(key);
      at.fail(at.require("value"), at.path_of("value"),
              fmt::format("{} is not a count: 1, 2, ...", at.require("value").describe()));
    }
    return static_cast<int>(value);
  }

  template <class T>
  void maybe(std::string_view key, std::optional<T>& into,
             T (section::*read)(std::string_view) const) const {
    if (find(key) != nullptr) into = (this->*read)(key);
  }
  template <class T>
  void maybe(std::string_view key, T& into, T (section::*read)(std::string_view) const) const {
    if (find(key) != nullptr) into = (this->*read)(key);
  }

 private:
  const json_node* node_;
  std::string_view origin_;
  std::string path_;
};

loggp_cost read_loggp(const section& at) {
  at.expect_object({"L", "g", "G"});
  return {at.time("L"), at.time("g"), at.per_byte("G")};
}

alpha_beta_cost read_alpha_beta(const section& at) {
  at.expect_object({"combine", "pieces"});
  alpha_beta_cost result;
  result.combine = at.choice("combine", {"by_size", "maximum"}) == 0
                       ? alpha_beta_cost::rule::by_size
                       : alpha_beta_cost::rule::maximum;
  for (const section& entry : at.children("pieces")) {
    entry.expect_object({"from_bytes", "alpha", "beta"});
    const double from = entry.number("from_bytes");
    const bool first = result.pieces.empty();
    const bool rising = first || from > double(result.pieces.back().from_bytes);
    const bool at_zero = from == 0;
    if (result.combine == alpha_beta_cost::rule::by_size ? first ? !at_zero : !rising : !at_zero) {
      entry.fail(
          entry.require("from_bytes"), entry.path_of("from_bytes"),
          "pieces start at 0 and rise when combined by_size, and all start at 0 for maximum");
    }
    result.pieces.push_back(
        {static_cast<std::uint64_t>(from), entry.time("alpha"), entry.per_byte("beta")});
  }
  return result;
}

machine_level read_level(const section& at, bool last) {
  at.expect_object({"level", "ranks", "o_send", "o_receive", "o_send_per_byte",
                    "o_receive_per_byte", "loggp", "alpha_beta"});
  machine_level result;
  result.kind = static_cast<level_kind>(
      at.choice("level", {"core", "cache", "socket", "node", "group", "network"}));
  if (last && at.find("ranks") != nullptr) {
    at.fail(at.require("ranks"), at.path_of("ranks"),
            "the outermost level holds all ranks; leave the key out");
  }
  if (!last) result.ranks = at.count("ranks");
  at.maybe("o_send", result.send_overhead, &section::time);
  at.maybe("o_receive", result.receive_overhead, &section::time);
  at.maybe("o_send_per_byte", result.send_ns_per_byte, &section::per_byte);
  at.maybe("o_receive_per_byte", result.receive_ns_per_byte, &section::per_byte);
  if (at.find("loggp") != nullptr) {
    result.loggp = read_loggp(at.child("loggp"));
    (void)at.require("o_send");
    (void)at.require("o_receive");
  }
  if (at.find("alpha_beta") != nullptr) result.alpha_beta = read_alpha_beta(at.child("alpha_beta"));
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
        entry.fail(entry.require("level"), entry.path_of("level"),
                   "levels go from inside out: core, cache, socket, node, group, network");
      }
      if (level.ranks && *level.ranks % *inner.ranks != 0) {
        entry.fail(entry.require("ranks"), entry.path_of("ranks"),
                   fmt::format("{} is not a multiple of the level inside, {}", *level.ranks,
                               *inner.ranks));
      }
    }
    result.levels.push_back(std::move(level));
  }
}

void read_processor(const section& at, processor_costs& result) {
  at.expect_object({"cores_per_node", "copy", "combine", "handler", "push", "reduce", "traversal",
                    "poll", "core_switch"});
  at.maybe("cores_per_node", result.cores_per_node, &section::count);
  at.maybe("copy", result.copy_ns_per_byte, &section::per_byte);
  at.maybe("combine", result.combine, &section::time);
  at.maybe("handler", result.handler, &section::time);
  at.maybe("push", result.push, &section::time);
  at.maybe("reduce", result.reduce_ns_per_byte, &section::per_byte);
  at.maybe("traversal", result.traversal, &section::time);
  at.maybe("poll", result.poll, &section::time);
  at.maybe("core_switch", result.core_switch, &section::time);
}

/// {"value": one of `valid`, "source"}.
std::size_t sourced_choice(const section& at, names valid) {
  at.expect_object({"value", "source"});
  (void)at.text("source");
  return at.choice("value", valid);
}

void read_nic(const section& at, nic_protocol& result) {
  at.expect_object(
      {"matching", "budget", "of", "packet", "packets_in_flight", "memory_beta", "memory_copy"});
  if (at.find("matching") != nullptr) {
    result.matching = static_cast<nic_protocol::matcher>(
        sourced_choice(at.child("matching"), {"processor", "nic"}));
  }
  if (at.find("budget") != nullptr) {
    result.traffic = static_cast<nic_protocol::budget>(
        sourced_choice(at.child("budget"), {"separate", "shared"}));
  }
  if (at.find("of") != nullptr) {
    result.of = static_cast<nic_protocol::owner>(sourced_choice(at.child("of"), {"rank", "node"}));
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

}  // namespace

machine parse_machine(std::string_view text, std::string_view origin) {
  const json_node tree = detail::parse_json_tree(text, origin);
  const section file(tree, origin, "");
  file.expect_object({"name", "description", "notes", "levels", "processor", "nic", "topology"});
  machine result;
  result.name = file.text("name");
  result.origin = std::string(origin);
  read_levels(file, result);
  if (file.find("processor") != nullptr) read_processor(file.child("processor"), result.processor);
  if (file.find("nic") != nullptr) read_nic(file.child("nic"), result.nic);
  if (file.find("topology") != nullptr) result.topology = read_topology(file.child("topology"));
  return result;
}

}  // namespace upwash
