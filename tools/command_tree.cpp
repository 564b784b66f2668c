// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace upwash::tools {
namespace {

/// Of "TEXT:{a,b}" what stands in the braces, or nothing.
std::vector<std::string> choices_in(const std::string& type) {
  const auto begin = type.find('{');
  const auto end = type.rfind('}');
  std::vector<std::string> all;
  if (begin == std::string::npos || end == std::string::npos) return all;
  std::istringstream words(type.substr(begin + 1, end - begin - 1));
  for (std::string one; std::getline(words, one, ',');) all.push_back(one);
  return all;
}

described_option describe(const CLI::Option& option) {
  described_option made;
  made.positional = option.get_positional();
  if (made.positional) {
    made.names.push_back(option.get_name(true, false));
  } else {
    for (const std::string& each : option.get_snames()) made.names.push_back("-" + each);
    for (const std::string& each : option.get_lnames()) made.names.push_back("--" + each);
  }
  made.text = option.get_description();
  made.required = option.get_required();
  if (option.get_items_expected_max() == 0) return made;
  const std::string type = option.get_type_name();
  made.choices = choices_in(type);
  made.value = type.substr(0, type.find(':'));
  made.repeats = option.get_items_expected_max() > 1;
  if (const std::string usual = option.get_default_str(); !usual.empty()) {
    made.text += fmt::format("{}({})", made.text.empty() ? "" : " ", usual);
  }
  return made;
}

/// Of the help text, since commands may write their own; one that was called speaks for those above
/// it, so that is told here.
std::string usage_of(const CLI::App& command, const std::string& above, const std::string& name) {
  if (above.empty()) return "[OPTIONS] COMMAND";
  const std::string help = command.help(above);
  constexpr std::string_view before = "Usage: ";
  const auto at = help.find(before);
  if (at == std::string::npos) return {};
  const std::string line =
      help.substr(at + before.size(), help.find('\n', at) - at - before.size());
  return line.starts_with(name) ? line.substr(std::min(line.size(), name.size() + 1)) : line;
}

described_command describe(const CLI::App& command, std::vector<std::string> words) {
  described_command made;
  const std::string above = fmt::format("{}", fmt::join(words, " "));
  words.push_back(command.get_name());
  made.words = std::move(words);
  made.text = command.get_description();
  made.starts_program = command.get_prefix_command();
  made.usage = usage_of(command, above, name_of(made, " "));
  if (made.usage.empty()) made.usage = "arguments...";  // another program's
  for (const CLI::Option* const each : command.get_options()) {
    if (!each->get_group().empty() || each->get_positional())
      made.options.push_back(describe(*each));
  }
  for (const CLI::App* const each : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!each->get_group().empty()) made.below.push_back(describe(*each, made.words));
  }
  return made;
}

}  // namespace

described_command describe(const CLI::App& command) { return describe(command, {}); }

std::string name_of(const described_command& command, const char* between) {
  return fmt::format("{}", fmt::join(command.words, between));
}

}  // namespace upwash::tools
