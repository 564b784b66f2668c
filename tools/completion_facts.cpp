// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/completion_facts.hpp"

#include <array>

namespace upwash::tools {
namespace {

void add(completion_facts& to, const described_command& from) {
  completed_command made;
  made.path = path_of(from);
  made.is = &from;
  for (const described_command& each : from.below) made.below.push_back(each.words.back());
  if (const described_option* const first = first_argument(from))
    made.first_choices = first->choices;
  if (from.starts_program) to.starting.push_back(made.path);
  for (const described_option& each : from.options) {
    if (each.positional) continue;
    made.options.insert(made.options.end(), each.names.begin(), each.names.end());
    if (each.value.empty()) continue;
    completed_value value{{}, completion_of(from, each), each.choices};
    for (const std::string& name : each.names) value.patterns.push_back(made.path + " " + name);
    to.values.push_back(std::move(value));
  }
  to.commands.push_back(std::move(made));
  for (const described_command& each : from.below) add(to, each);
}

}  // namespace

std::vector<std::string> completion_facts::paths() const {
  std::vector<std::string> all;
  for (const completed_command& each : commands) {
    if (!each.path.empty()) all.push_back(each.path);
  }
  return all;
}

std::vector<std::string> completion_facts::patterns() const {
  std::vector<std::string> all;
  for (const completed_value& each : values) {
    all.insert(all.end(), each.patterns.begin(), each.patterns.end());
  }
  return all;
}

completion_facts facts_of(const described_command& top) {
  completion_facts made;
  add(made, top);
  return made;
}

std::string_view name_of(completed_by is) noexcept {
  constexpr std::array<std::string_view, 4> names{"files", "choices", "knobs", "algorithms"};
  return names[static_cast<std::size_t>(is)];
}

}  // namespace upwash::tools
