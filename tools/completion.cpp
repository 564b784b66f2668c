// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace upwash::tools {
namespace {

constexpr std::string_view licence =
    "# SPDX-FileCopyrightText: the upwash authors\n# SPDX-License-Identifier: BSD-3-Clause\n";

/// For single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string made = "'";
  for (const char each : text) {
    if (each == '\'') {
      made += "'\\''";
    } else {
      made += each == '\n' ? ' ' : each;
    }
  }
  return made + "'";
}

/// "tune machine": the words behind "upwash".
std::string path_of(const described_command& of) {
  return fmt::format("{}", fmt::join(of.words.begin() + 1, of.words.end(), " "));
}

bool takes_knob(const described_option& of) {
  return std::ranges::find(of.names, "--knob") != of.names.end();
}

/// What may follow the option; empty: anything.
std::vector<std::string> words_behind(const described_option& of, std::span<const knob> knobs) {
  if (!takes_knob(of)) return of.choices;
  std::vector<std::string> names;
  for (const knob& each : knobs) names.push_back(fmt::format("{}=", each.name));
  return names;
}

template <class Visit>
void for_each_command(const described_command& from, const Visit& visit) {
  visit(from);
  for (const described_command& each : from.below) for_each_command(each, visit);
}

/// Commands below it, and its options.
std::string words_of(const described_command& of) {
  std::vector<std::string> words;
  for (const described_command& each : of.below) words.push_back(each.words.back());
  for (const described_option& each : of.options) {
    if (!each.positional) words.insert(words.end(), each.names.begin(), each.names.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// The lines of a `case` over "COMMAND OPTION" that complete what follows the option.
std::string bash_values(const described_command& of, std::span<const knob> knobs) {
  std::string lines;
  for (const described_option& each : of.options) {
    if (each.positional || each.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : each.names) {
      patterns.push_back(fmt::format("\"{} {}\"", path_of(of), name));
    }
    const auto words = words_behind(each, knobs);
    const std::string what =
        words.empty() ? std::string("-f")
                      : fmt::format("-W {}", in_quotes(fmt::format("{}", fmt::join(words, " "))));
    lines +=
        fmt::format("    {})\n      {}COMPREPLY=($(compgen {} -- \"$word\"))\n      return ;;\n",
                    fmt::join(patterns, "|"),
                    takes_knob(each) ? "compopt -o nospace 2>/dev/null\n      " : "", what);
  }
  return lines;
}

std::string zsh_function(const described_command& of) {
  return fmt::format("_{}", fmt::join(of.words, "_"));
}

/// '(-n --ranks)'{-n,--ranks}'[number of ranks]:INT:(...)'.
std::string zsh_argument(const described_option& of, std::span<const knob> knobs) {
  if (of.positional) return {};
  std::string text;
  for (const char each : of.text) {
    if (each == '[' || each == ']' || each == ':' || each == '\\') text += '\\';
    text += each;
  }
  std::string behind = fmt::format("[{}]", text);
  if (!of.value.empty()) {
    const auto words = words_behind(of, knobs);
    behind += fmt::format(
        ":{}:{}", of.value,
        words.empty() ? std::string("_files") : fmt::format("({})", fmt::join(words, " ")));
  }
  const std::string others =
      of.repeats ? std::string("'*'") : in_quotes(fmt::format("({})", fmt::join(of.names, " ")));
  if (of.names.size() == 1)
    return fmt::format(" \\\n    {}{}{}", others, of.names[0], in_quotes(behind));
  return fmt::format(" \\\n    {}{{{}}}{}", others, fmt::join(of.names, ","), in_quotes(behind));
}

std::string zsh_command(const described_command& of, std::span<const knob> knobs) {
  std::string arguments;
  for (const described_option& each : of.options) arguments += zsh_argument(each, knobs);
  std::string body = fmt::format("{}() {{\n", zsh_function(of));
  if (of.below.empty()) {
    return body + fmt::format("  _arguments -S{} \\\n    '*:file:_files'\n}}\n", arguments);
  }
  std::string names, cases;
  for (const described_command& each : of.below) {
    names += fmt::format("\n    {}", in_quotes(fmt::format("{}:{}", each.words.back(), each.text)));
    cases += fmt::format("        {}) {} ;;\n", each.words.back(), zsh_function(each));
  }
  return body + fmt::format(
                    "  local state line\n  local -a commands=({})\n"
                    "  _arguments -C{} \\\n    '1: :->command' \\\n    '*:: :->below'\n"
                    "  case $state in\n    command) _describe command commands ;;\n"
                    "    below)\n      case $words[1] in\n{}      esac ;;\n  esac\n}}\n",
                    names, arguments, cases);
}

std::string fish_condition(const described_command& of) {
  if (of.words.size() == 1) return "__fish_use_subcommand";
  std::vector<std::string> seen;
  for (auto at = of.words.begin() + 1; at != of.words.end(); ++at) {
    seen.push_back("__fish_seen_subcommand_from " + *at);
  }
  return fmt::format("{}", fmt::join(seen, "; and "));
}

std::string fish_option(const described_command& command, const described_option& of,
                        std::span<const knob> knobs) {
  if (of.positional) return {};
  std::string line = fmt::format("complete -c upwash -n {}", in_quotes(fish_condition(command)));
  for (const std::string& each : of.names) {
    const bool is_long = each.starts_with("--");
    line += fmt::format(" {} {}", is_long ? "-l" : "-s", each.substr(is_long ? 2 : 1));
  }
  if (!of.text.empty()) line += fmt::format(" -d {}", in_quotes(of.text));
  if (!of.value.empty()) {
    const auto words = words_behind(of, knobs);
    line += words.empty()
                ? std::string(" -r")
                : fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(words, " "))));
  }
  return line + "\n";
}

}  // namespace

std::string bash_completion(const described_command& top, std::span<const knob> knobs) {
  std::vector<std::string> paths;
  std::string values, words;
  for_each_command(top, [&](const described_command& each) {
    if (!path_of(each).empty()) paths.push_back(fmt::format("\"{}\"", path_of(each)));
    values += bash_values(each, knobs);
    words += fmt::format("    \"{}\") known={} ;;\n", path_of(each), in_quotes(words_of(each)));
  });
  return fmt::format(
      "{}_upwash() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= "
      "known= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"${{command:+$command }}${{COMP_WORDS[i]}}\" in\n"
      "      {}) command=\"${{command:+$command }}${{COMP_WORDS[i]}}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$command $before\" in\n{}  esac\n"
      "  case \"$command\" in\n{}  esac\n"
      "  if [[ $word == -* || -z $command ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$known\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -W \"${{known%%-*}}\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _upwash upwash\n",
      licence, fmt::join(paths, "|"), values, words);
}

std::string zsh_completion(const described_command& top, std::span<const knob> knobs) {
  std::string all = fmt::format("#compdef upwash\n{}", licence);
  for_each_command(top,
                   [&](const described_command& each) { all += "\n" + zsh_command(each, knobs); });
  return all + "\n_upwash \"$@\"\n";
}

std::string fish_completion(const described_command& top, std::span<const knob> knobs) {
  std::string all(licence);
  for_each_command(top, [&](const described_command& command) {
    for (const described_command& each : command.below) {
      all +=
          fmt::format("complete -c upwash -n {} -a {} -d {}\n", in_quotes(fish_condition(command)),
                      each.words.back(), in_quotes(each.text));
    }
    for (const described_option& each : command.options) all += fish_option(command, each, knobs);
  });
  return all;
}

}  // namespace upwash::tools
