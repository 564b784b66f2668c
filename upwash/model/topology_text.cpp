// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/topology_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/model/choice.hpp"
#include "upwash/model/detail/file_section.hpp"
#include "upwash/model/detail/json_tree.hpp"

namespace upwash::model {
namespace {

using upwash::detail::file_section;
using upwash::detail::json_node;

[[noreturn]] void wrong(std::string_view origin, const std::string& what) {
  throw error(error_kind::configuration, fmt::format("topology {}: {}", origin, what));
}

/// Names are written with hyphens; machine files have underscores.
std::string hyphened(std::string text) {
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

/// "8x8" and "3+17" are lists.
std::vector<std::int64_t> parse_values_of(std::string_view origin, std::string_view key,
                                          std::string_view text) {
  std::vector<std::int64_t> values;
  const char* at = text.data();
  const char* const last = at + text.size();
  while (true) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(at, last, value);
    const bool more = end != last && (*end == 'x' || *end == '+');
    if (status != std::errc() || (end != last && !more)) {
      wrong(origin, fmt::format("{}: \"{}\" is not a number, sizes as in 8x8 or a list as in 3+17",
                                key, text));
    }
    values.push_back(value);
    if (!more) return values;
    at = end + 1;
  }
}

topology_description parse_text(std::string_view text) {
  auto [kind, rest] = split_choice(text);
  topology_description result{hyphened(std::string(kind)), {}, std::string(text), 0};
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) wrong(text, fmt::format("\"{}\" is not key=value", pair));
    const std::string key(pair.substr(0, equals));
    for (const auto& before : result.parameters) {
      if (before.key == key) wrong(text, fmt::format("{}: given twice", key));
    }
    result.parameters.push_back({key, parse_values_of(text, key, pair.substr(equals + 1)), 0});
  }
  return result;
}

std::int64_t whole_number(const file_section& at, std::string_view key, const json_node& value) {
  const bool whole = value.what == json_node::type::number && std::abs(value.number) < 1e15 &&
                     value.number == std::floor(value.number);
  if (!whole)
    at.fail(key, fmt::format("{} is not a whole number or a list of them", value.describe()));
  return static_cast<std::int64_t>(value.number);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) wrong(path, "the file cannot be read");
  return text.str();
}

}  // namespace

topology_description parse_topology(std::string_view text_or_path) {
  const bool is_path =
      text_or_path.find('/') != std::string_view::npos || text_or_path.ends_with(".json");
  if (!is_path) return parse_text(text_or_path);
  const std::string path(text_or_path);
  return parse_topology_file(read_file(path), path);
}

topology_description parse_topology_file(std::string_view text, std::string_view origin) {
  const json_node tree = upwash::detail::parse_json_tree(text, origin);
  const file_section file(tree, origin);
  file.expect_object({"kind", "parameters", "source"});
  topology_description result{
      hyphened(file.text("kind")), {}, std::string(origin), file.require("kind").line};
  if (!file.has("parameters")) return result;
  const file_section section = file.child("parameters");
  const json_node& parameters = file.require("parameters");
  if (parameters.what != json_node::type::object) {
    file.fail("parameters", fmt::format("expected an object, got {}", parameters.describe()));
  }
  for (const auto& [key, value] : parameters.members) {
    topology_description::parameter fresh{key, {}, value.line};
    if (value.what == json_node::type::array) {
      for (const json_node& each : value.elements) {
        fresh.values.push_back(whole_number(section, key, each));
      }
    } else {
      fresh.values.push_back(whole_number(section, key, value));
    }
    result.parameters.push_back(std::move(fresh));
  }
  return result;
}

namespace {

/// Sides that differ by one at most, of a grid with room for so many nodes.
std::vector<std::int64_t> sides_of_grid(std::int64_t dimensions, int nodes) {
  std::vector<std::int64_t> sides(static_cast<std::size_t>(dimensions), 1);
  std::int64_t room = 1;
  for (std::size_t next = 0; room < nodes; next = (next + 1) % sides.size()) {
    room = room / sides[next] * (sides[next] + 1);
    ++sides[next];
  }
  return sides;
}

}  // namespace

topology_description topology_of(const machine& on, int nodes) {
  if (!on.topology) {
    wrong("of machine " + on.name,
          "there is none in its file; give one (--topology, UPWASH_TOPOLOGY)");
  }
  topology_description result{hyphened(on.topology->kind), {}, "of machine " + on.name, 0};
  bool has_levels = false;
  const bool is_grid = result.kind == "torus" || result.kind == "mesh";
  for (const auto& [key, value] : on.topology->parameters) {
    if (is_grid && key == "dimensions" && value >= 1 && value <= 30) {
      result.parameters.push_back({"size", sides_of_grid(value, nodes), 0});
      continue;
    }
    result.parameters.push_back({key, {value}, 0});
    has_levels = has_levels || key == "levels";
  }
  const bool is_tree = result.kind == "fat-tree" || result.kind == "clos";
  if (is_tree && !has_levels) result.parameters.push_back({"nodes", {nodes}, 0});
  return result;
}

}  // namespace upwash::model
