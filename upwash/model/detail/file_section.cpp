// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/detail/file_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash::detail {
namespace {

std::string join(key_names valid) {
  std::string text;
  for (const std::string_view each : valid) {
    if (!text.empty()) text += ", ";
    text += each;
  }
  return text;
}

}  // namespace

void file_section::fail_at(const json_node& at, std::string_view path,
                           std::string_view what) const {
  throw error(error_kind::configuration, fmt::format("{}, line {}: {}: {}", origin_, at.line,
                                                     path.empty() ? "the file" : path, what));
}

void file_section::fail(std::string_view key, std::string_view what) const {
  fail_at(require(key), path_of(key), what);
}

std::string file_section::path() const {
  if (outer_ == nullptr) return {};
  const std::string named = outer_->path_of(key_);
  return entry_ == no_entry ? named : fmt::format("{}[{}]", named, entry_);
}

std::string file_section::path_of(std::string_view key) const {
  const std::string outer = path();
  return outer.empty() ? std::string(key) : fmt::format("{}.{}", outer, key);
}

void file_section::expect_object(key_names valid) const {
  if (node_->what != json_node::type::object) {
    fail_at(*node_, path(), fmt::format("expected an object, got {}", node_->describe()));
  }
  for (const auto& [key, value] : node_->members) {
    if (std::find(valid.begin(), valid.end(), key) != valid.end()) continue;
    const std::vector<std::string_view> candidates(valid.begin(), valid.end());
    const std::string_view near = nearest_name(key, candidates);
    fail_at(value, path_of(key),
            fmt::format("unknown key{}; valid: {}",
                        near.empty() ? "" : fmt::format(", did you mean {}?", near), join(valid)));
  }
}

const json_node& file_section::require(std::string_view key) const {
  const json_node* value = node_->find(key);
  if (value == nullptr) fail_at(*node_, path(), fmt::format("the key {} is missing", key));
  return *value;
}

file_section file_section::child(std::string_view key) const { return {require(key), *this, key}; }

std::vector<file_section> file_section::children(std::string_view key) const {
  const json_node& list = require(key);
  if (list.what != json_node::type::array || list.elements.empty()) {
    fail(key, fmt::format("expected a list with at least one entry, got {}", list.describe()));
  }
  std::vector<file_section> result;
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    result.push_back({list.elements[i], *this, key, i});
  }
  return result;
}

const std::string& file_section::text(std::string_view key) const {
  const json_node& value = require(key);
  if (value.what != json_node::type::string || value.text.empty()) {
    fail(key, fmt::format("expected a text, got {}", value.describe()));
  }
  return value.text;
}

std::size_t file_section::choice(std::string_view key, key_names valid) const {
  const std::string& seen = text(key);
  const auto at = std::find(valid.begin(), valid.end(), seen);
  if (at == valid.end()) fail(key, fmt::format("\"{}\" is not one of: {}", seen, join(valid)));
  return static_cast<std::size_t>(at - valid.begin());
}

double file_section::number(std::string_view key) const {
  const json_node& value = require(key);
  if (value.what != json_node::type::number) {
    fail(key, fmt::format("expected a number, got {}", value.describe()));
  }
  if (!(value.number >= 0) || !(value.number < 1e15)) {
    fail(key, fmt::format("{} is out of range: 0 to 1e15", value.describe()));
  }
  return value.number;
}

double file_section::quantity(std::string_view key, std::initializer_list<unit> units) const {
  const file_section at = child(key);
  at.expect_object({"value", "unit", "source"});
  (void)at.text("source");
  const double value = at.number("value");
  if (units.size() == 0) return value;
  const std::string& seen = at.text("unit");
  std::string valid;
  for (const unit& each : units) {
    if (each.name == seen) return value * each.factor;
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", each.name);
  }
  at.fail("unit", fmt::format("\"{}\" is not one of: {}", seen, valid));
}

duration file_section::time(std::string_view key) const {
  return duration::from_ns(
      quantity(key, {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"ps", 1e-3}}));
}

double file_section::per_byte(std::string_view key) const {
  return quantity(key, {{"ns/B", 1}, {"us/B", 1e3}, {"ps/B", 1e-3}});
}

std::uint64_t file_section::bytes(std::string_view key) const {
  return static_cast<std::uint64_t>(
      quantity(key, {{"B", 1}, {"KiB", 1024}, {"MiB", 1024.0 * 1024}}));
}

int file_section::count(std::string_view key) const {
  const double value = quantity(key, {});
  if (value < 1 || value > std::numeric_limits<int>::max() || value != std::floor(value)) {
    const file_section at = child(key);
    at.fail("value", fmt::format("{} is not a count: 1, 2, ...", at.require("value").describe()));
  }
  return static_cast<int>(value);
}

std::size_t file_section::sourced_choice(std::string_view key, key_names valid) const {
  const file_section at = child(key);
  at.expect_object({"value", "source"});
  (void)at.text("source");
  return at.choice("value", valid);
}

}  // namespace upwash::detail
