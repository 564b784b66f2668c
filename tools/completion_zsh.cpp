// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion for zsh: a function for each command, over _arguments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "tools/completion.hpp"
#include "tools/completion_facts.hpp"

namespace upwash::tools {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string function_of(const described_command& of) {
  return fmt::format("_{}", fmt::join(of.words, "_"));
}

/// What completes the value, as _arguments is told.
std::string action_of(completed_by is, const std::vector<std::string>& choices) {
  switch (is) {
    case completed_by::choices: return fmt::format("({})", joined(choices));
    case completed_by::knobs: return "_upwash_knobs";
    case completed_by::algorithms: return "_upwash_algorithms";
    case completed_by::files: break;
  }
  return "_files";
}

/// '(-n --ranks)'{-n,--ranks}'[number of ranks]:INT:(...)'.
std::string argument(const described_command& command, const described_option& of) {
  if (of.positional) return {};
  std::string text;
  for (const char each : of.text) {
    if (each == '[' || each == ']' || each == ':' || each == '\\') text += '\\';
    text += each;
  }
  std::string behind = fmt::format("[{}]", text);
  if (!of.value.empty()) {
    behind += fmt::format(":{}:{}", of.value, action_of(completion_of(command, of), of.choices));
  }
  const std::string others = of.repeats ? "'*'" : in_quotes(fmt::format("({})", joined(of.names)));
  // "--long=VALUE" beside "--long VALUE".
  std::vector<std::string> names = of.names;
  for (std::string& each : names) {
    if (!of.value.empty() && each.starts_with("--")) each += "=";
  }
  if (names.size() == 1) return fmt::format(" \\\n    {}{}{}", others, names[0], in_quotes(behind));
  return fmt::format(" \\\n    {}{{{}}}{}", others, fmt::join(names, ","), in_quotes(behind));
}

/// Behind the first word that is no option of ours: a program and its own words.
std::string arguments_behind(const described_command& of) {
  if (of.starts_program) return " \\\n    '1:program:_files' \\\n    '*:argument:_files'";
  const described_option* const first = first_argument(of);
  if (first == nullptr || first->choices.empty()) return " \\\n    '*:file:_files'";
  return fmt::format(" \\\n    {} \\\n    '*:file:_files'",
                     in_quotes(fmt::format("1:{}:({})", first->names[0], joined(first->choices))));
}

std::string command_function(const described_command& of) {
  std::string arguments;
  for (const described_option& each : of.options) arguments += argument(of, each);
  std::string body = fmt::format("\n{}() {{\n", function_of(of));
  if (of.below.empty()) {
    return body + fmt::format("  _arguments -S{}{}{}\n}}\n", of.starts_program ? " -A '-*'" : "",
                              arguments, arguments_behind(of));
  }
  std::string names, cases;
  for (const described_command& each : of.below) {
    names += fmt::format("\n    {}", in_quotes(fmt::format("{}:{}", each.words.back(), each.text)));
    cases += fmt::format("        {}) {} ;;\n", each.words.back(), function_of(each));
  }
  return body + fmt::format(
                    "  local state line\n  local -a commands=({})\n"
                    "  _arguments -C{} \\\n    '1: :->command' \\\n    '*:: :->below'\n"
                    "  case $state in\n    command) _describe command commands ;;\n"
                    "    below)\n      case $words[1] in\n{}      esac ;;\n  esac\n}}\n",
                    names, arguments, cases);
}

std::string all_functions(const described_command& of) {
  std::string all = command_function(of);
  for (const described_command& each : of.below) all += all_functions(each);
  return all;
}

/// NAME=VALUE: behind a name there is "=", and no blank.
std::string knobs_function(const completion_words& words) {
  std::vector<std::string> names;
  std::string cases;
  for (const named_words& each : words.knobs) {
    names.push_back(each.name);
    if (!each.words.empty()) {
      cases += fmt::format("      {}) compadd -- {} ;;\n", each.name, joined(each.words));
    }
  }
  return fmt::format(
      "\n_upwash_knobs() {{\n  if compset -P '*='; then\n"
      "    case ${{${{IPREFIX%=}}##*=}} in\n{}      *) _files ;;\n    esac\n"
      "  else\n    compadd -S = -q -- {}\n  fi\n}}\n",
      cases, joined(names));
}

/// Of the collective that another word of the line names.
std::string algorithms_function(const completion_words& words) {
  std::string cases;
  for (const named_words& each : words.algorithms) {
    cases += fmt::format("      {}) compadd -- {} ;;\n", each.name, joined(each.words));
  }
  return fmt::format(
      "\n_upwash_algorithms() {{\n  local word\n  for word in $words; do\n"
      "    case ${{word#--*=}} in\n{}    esac\n  done\n}}\n",
      cases);
}

}  // namespace

std::string zsh_completion(const described_command& top, const completion_words& words) {
  return fmt::format("#compdef upwash\n{}{}{}{}\n_upwash \"$@\"\n", shell_licence,
                     knobs_function(words), algorithms_function(words), all_functions(top));
}

}  // namespace upwash::tools
