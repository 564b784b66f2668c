// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/completion_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/bench.hpp"
#include "tools/schedule_neighbors.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"
#include "upwash/runtime/conduits.hpp"

namespace upwash::tools {
namespace {

bool has_name(const described_option& of, std::string_view name) {
  return std::ranges::find(of.names, name) != of.names.end();
}

std::vector<std::string> values_of(const knob& of) {
  std::vector<std::string> values;
  if (of.type == knob_type::flag) return {"0", "1"};
  if (of.type != knob_type::choice) return values;
  for (std::size_t at = 0; at <= of.choices.size();) {
    const std::size_t end = std::min(of.choices.find('|', at), of.choices.size());
    values.emplace_back(of.choices.substr(at, end - at));
    at = end + 1;
  }
  return values;
}

std::vector<std::string> bench_names() {
  std::vector<std::string> names;
  for (const auto& each : bench::table()) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> scheme_names() {
  std::vector<std::string> names{"best"};
  for (const auto& each : neighborhoods::all_schemes()) names.emplace_back(each.is.name);
  return names;
}

std::vector<std::string> collective_names(bool of_neighbors) {
  std::vector<std::string> names;
  for (const collective::kind each : collective::own_kinds()) names.emplace_back(each.facts().name);
  if (of_neighbors) names.insert(names.end(), {"neighbor_all_gather", "neighbor_all_to_all"});
  return names;
}

/// Choices of one option; none where it has its own, or anything may follow.
std::vector<std::string> choices_of(const std::string& path, const described_option& of) {
  if (path == "run" && has_name(of, "--conduit")) return conduit_names();
  if (path == "run" && has_name(of, "--bind")) return {"core", "none"};
  if (path == "run" && has_name(of, "--network")) return {"message", "packet"};
  if (path == "bench" && of.positional) return bench_names();
  if (path == "schedule" && of.positional) return collective_names(true);
  if (path == "schedule" && has_name(of, "--scheme")) return scheme_names();
  if (path == "simulate" && has_name(of, "--schedule")) return collective_names(false);
  return {};
}

}  // namespace

completion_words words_for_completion(std::span<const knob> knobs) {
  completion_words made;
  for (const knob& each : knobs) made.knobs.push_back({std::string(each.name), values_of(each)});
  collective::registry all;
  collective::add_algorithms(all);
  for (const collective::kind each : collective::own_kinds()) {
    named_words of{std::string(each.facts().name), {}};
    for (const collective::algorithm* const one : all.of(each)) of.words.emplace_back(one->is.name);
    made.algorithms.push_back(std::move(of));
  }
  return made;
}

described_command with_choices(described_command top) {
  for (described_command& each : top.below) each = with_choices(std::move(each));
  for (described_option& each : top.options) {
    auto words = choices_of(path_of(top), each);
    if (!words.empty()) each.choices = std::move(words);
  }
  return top;
}

completed_by completion_of(const described_command& command, const described_option& option) {
  const std::string path = path_of(command);
  if (has_name(option, "--knob")) return completed_by::knobs;
  if (has_name(option, "--algorithm") && (path == "schedule" || path == "simulate")) {
    return completed_by::algorithms;
  }
  return option.choices.empty() ? completed_by::files : completed_by::choices;
}

const described_option* first_argument(const described_command& command) {
  if (command.starts_program) return nullptr;
  const auto found = std::ranges::find(command.options, true, &described_option::positional);
  return found == command.options.end() ? nullptr : &*found;
}

std::string path_of(const described_command& command) {
  return fmt::format("{}", fmt::join(command.words.begin() + 1, command.words.end(), " "));
}

std::string in_quotes(std::string_view text, std::string_view quote) {
  std::string made = "'";
  for (const char each : text) {
    if (each == '\'') {
      made += quote;
    } else {
      made += each == '\n' ? ' ' : each;
    }
  }
  return made + "'";
}

}  // namespace upwash::tools
