// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/knobs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "upwash/base/data_folders.hpp"
#include "upwash/base/detail/knob_file.hpp"
#include "upwash/base/error.hpp"

namespace upwash {
namespace {

constexpr std::string_view prefix = "UPWASH_";
constexpr std::string_view test_prefix = "UPWASH_TEST_";

constexpr std::array<std::string_view, 4> yes_words{"1", "true", "yes", "on"};
constexpr std::array<std::string_view, 4> no_words{"0", "false", "no", "off"};

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_choice(std::string_view text, std::string_view choices) {
  while (!choices.empty()) {
    const auto end = choices.find('|');
    if (choices.substr(0, end) == text) return true;
    if (end == std::string_view::npos) break;
    choices.remove_prefix(end + 1);
  }
  return false;
}

bool parse_integer(std::string_view text, std::int64_t& number) {
  const auto* last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, number);
  return status == std::errc() && end == last;
}

/// "; did you mean X?" or nothing, and where the whole list is.
std::string suggestion(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto near = nearest_name(name, candidates);
  const auto guess = near.empty() ? std::string() : fmt::format("; did you mean {}?", near);
  return fmt::format("{} (upwash info --knobs lists all)", guess);
}

/// The file to read and whether it was asked for; empty when there is none.
std::filesystem::path config_path() {
  if (const char* asked = std::getenv("UPWASH_CONFIG")) return asked;
  const std::string folder = user_folder();
  if (folder.empty()) return {};
  const auto path = std::filesystem::path(folder) / "knobs.json";
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : std::filesystem::path();
}

std::string read_config(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    throw error(error_kind::configuration,
                fmt::format("{}: cannot be read; UPWASH_CONFIG must name a readable JSON file",
                            path.string()));
  }
  return content;
}

void apply_file(settings& values, const knob_table& table) {
  const auto path = config_path();
  if (path.empty()) return;
  std::vector<std::string> names;
  for (const auto& row : table.rows()) names.emplace_back(row.name);
  for (const auto& entry : detail::parse_knob_file(read_config(path), path.string())) {
    const auto where = fmt::format("{}:{}: {}", path.string(), entry.line, entry.name);
    const knob* row = table.find(entry.name);
    if (row == nullptr) {
      throw error(error_kind::configuration,
                  fmt::format("{}: unknown knob{}", where, suggestion(entry.name, names)));
    }
    if (entry.name == "config") {
      throw error(error_kind::configuration,
                  fmt::format("{}: a config file cannot name another; remove it", where));
    }
    check_knob_value(*row, entry.text, where);
    values.set(entry.name, entry.text, knob_source::file);
  }
}

void apply_environment(settings& values, const knob_table& table) {
  std::vector<std::string> variables;
  for (const auto& row : table.rows()) variables.push_back(knob_variable(row.name));
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view line(*each);
    const auto variable = line.substr(0, line.find('='));
    if (!variable.starts_with(prefix) || variable.starts_with(test_prefix)) continue;
    const auto found = std::find(variables.begin(), variables.end(), variable);
    if (found == variables.end()) {
      throw error(error_kind::configuration,
                  fmt::format("unknown variable {}{}", variable, suggestion(variable, variables)));
    }
    const auto& row = table.rows()[static_cast<std::size_t>(found - variables.begin())];
    const auto text = line.substr(std::min(line.size(), variable.size() + 1));
    check_knob_value(row, text, variable);
    values.set(row.name, text, knob_source::environment);
  }
}

}  // namespace

void knob_table::add(std::span<const knob> rows) {
  for (const auto& row : rows) {
    if (find(row.name) != nullptr) {
      throw error(error_kind::argument, fmt::format("knob {} is added twice", row.name));
    }
    check_knob_value(row, row.fallback, fmt::format("default of knob {}", row.name));
    rows_.push_back(row);
  }
}

const knob* knob_table::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(rows_.begin(), rows_.end(), [&](const knob& row) { return row.name == name; });
  return found == rows_.end() ? nullptr : &*found;
}

void base_knobs(knob_table& table) {
  static constexpr knob rows[] = {
      knob{.name = "log",
           .type = knob_type::choice,
           .fallback = "warning",
           .doc = "Lines of this level and above go to standard error",
           .choices = "trace|debug|info|warning|error|off"},
      knob{.name = "config",
           .type = knob_type::text,
           .fallback = "",
           .doc = "Knob file (JSON); otherwise upwash/knobs.json in the user's config folder"},
  };
  table.add(rows);
}

std::string knob_variable(std::string_view name) {
  std::string variable(prefix);
  for (const char c : name) {
    variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return variable;
}

void check_knob_value(const knob& row, std::string_view text, std::string_view where) {
  const auto refuse = [&](std::string_view expected) {
    throw error(error_kind::configuration,
                fmt::format("{}: \"{}\" is not {}", where, text, expected));
  };
  std::int64_t number = 0;
  switch (row.type) {
    case knob_type::flag:
      if (!is_one_of(text, yes_words) && !is_one_of(text, no_words)) {
        refuse("a flag; expected 0 or 1");
      }
      break;
    case knob_type::integer:
      if (!parse_integer(text, number)) refuse("a whole number; expected digits, as in 64");
      break;
    case knob_type::bytes: static_cast<void>(parse_bytes(text, where)); break;
    case knob_type::time: static_cast<void>(parse_duration(text, where)); break;
    case knob_type::text: break;
    case knob_type::choice:
      if (!is_choice(text, row.choices)) refuse(fmt::format("one of {}", row.choices));
      break;
  }
}

settings settings::defaults(const knob_table& table) {
  settings result;
  for (const auto& row : table.rows()) {
    result.values_.push_back({row, std::string(row.fallback), knob_source::fallback});
  }
  return result;
}

settings settings::from_environment(const knob_table& table) {
  settings result = defaults(table);
  apply_file(result, table);
  apply_environment(result, table);
  return result;
}

settings::value* settings::find(std::string_view name) noexcept {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const value& each) { return each.row.name == name; });
  return found == values_.end() ? nullptr : &*found;
}

void settings::set(std::string_view name, std::string_view text, knob_source from) {
  value* found = find(name);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const auto& each : values_) names.emplace_back(each.row.name);
    throw error(error_kind::configuration,
                fmt::format("unknown knob {}{}", name, suggestion(name, names)));
  }
  check_knob_value(found->row, text, name);
  found->text = text;
  found->source = from;
}

const settings::value& settings::at(std::string_view name, knob_type type) const {
  for (const auto& each : values_) {
    if (each.row.name != name) continue;
    const bool fits =
        each.row.type == type || (type == knob_type::text && each.row.type == knob_type::choice);
    if (fits) return each;
    throw error(error_kind::argument, fmt::format("knob {} is read as another type", name));
  }
  throw error(error_kind::argument, fmt::format("knob {} is in no table", name));
}

bool settings::flag(std::string_view name) const {
  return is_one_of(at(name, knob_type::flag).text, yes_words);
}

std::int64_t settings::integer(std::string_view name) const {
  std::int64_t number = 0;
  parse_integer(at(name, knob_type::integer).text, number);
  return number;
}

int settings::count(std::string_view name) const {
  const std::int64_t counted = integer(name);
  if (counted < 1 || counted > (1 << 28)) {
    throw error(error_kind::configuration,
                fmt::format("{} = {}: a number from 1 to 2^28 is wanted", name, counted));
  }
  return static_cast<int>(counted);
}

std::uint64_t settings::bytes(std::string_view name) const {
  return parse_bytes(at(name, knob_type::bytes).text, name);
}

duration settings::time(std::string_view name) const {
  return parse_duration(at(name, knob_type::time).text, name);
}

const std::string& settings::text(std::string_view name) const {
  return at(name, knob_type::text).text;
}

knob_source settings::source(std::string_view name) const {
  for (const auto& each : values_) {
    if (each.row.name == name) return each.source;
  }
  throw error(error_kind::argument, fmt::format("knob {} is in no table", name));
}

}  // namespace upwash
