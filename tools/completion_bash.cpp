// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion for bash: what the command line has, as functions of one `case` each, and one function
// that walks along the words. The words are cut by blanks alone, here: bash's own are cut at "="
// and
// ":" too.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "tools/completion.hpp"
#include "tools/completion_facts.hpp"

namespace upwash::tools {
namespace {

constexpr std::string_view walk = R"bash(
# What may follow: sets `candidates`, all of what the word could be.
_upwash_values() {
  local kind= values= name=${3%%=*}
  _upwash_choices "$1 $2"
  case $kind in
    choices) mapfile -t candidates < <(compgen -W "$values" -- "$3") ;;
    knobs)
      if [[ $3 == *=* ]]; then
        _upwash_knob "$name"
        mapfile -t candidates < <(compgen -P "$name=" -W "$values" -- "${3#*=}")
      else
        mapfile -t candidates < <(compgen -S = -W "$_upwash_knobs" -- "$3")
      fi ;;
    algorithms)
      for name in "${words[@]}"; do _upwash_algorithms "${name#*=}" && break; done
      mapfile -t candidates < <(compgen -W "$values" -- "$3") ;;
    *) _upwash_files "$3" ;;
  esac
}

_upwash_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t candidates < <(compgen -f -- "$1")
}

_upwash() {
  local line=${COMP_LINE:0:COMP_POINT} words=() candidates=() word each at known= below= values=
  local command= option= program= arguments=0
  read -ra words <<<"$line"
  if [[ $line == *[[:space:]] ]]; then words+=(""); fi
  word=${words[${#words[@]} - 1]}
  for ((at = 1; at < ${#words[@]} - 1; ++at)); do
    each=${words[at]}
    if [[ -n $option ]]; then
      option=
    elif [[ $each == -- ]]; then
      program=yes
      break
    elif [[ $each == -* ]]; then
      if _upwash_takes_value "$command $each"; then option=$each; fi
    elif _upwash_is_command "${command:+$command }$each"; then
      command="${command:+$command }$each"
    elif _upwash_starts_program "$command"; then
      program=yes
      break
    else
      arguments=$((arguments + 1))
    fi
  done
  _upwash_words "$command"
  if [[ -n $program ]]; then
    _upwash_files "$word"
  elif [[ -n $option ]]; then
    _upwash_values "$command" "$option" "$word"
  elif [[ $word == --*=* ]]; then
    option=${word%%=*}
    _upwash_values "$command" "$option" "${word#*=}"
    candidates=("${candidates[@]/#/$option=}")
  elif [[ $word == -* ]]; then
    mapfile -t candidates < <(compgen -W "$known" -- "$word")
  elif ((arguments == 0)); then
    if [[ -n $values ]]; then
      mapfile -t candidates < <(compgen -W "$values" -- "$word")
    elif [[ -n $command ]]; then
      _upwash_files "$word"
    fi
    mapfile -t -O "${#candidates[@]}" candidates < <(compgen -W "$below" -- "$word")
  else
    _upwash_files "$word"
  fi
  # What is cut off the word there stays on the line.
  local cut= sign
  for sign in = :; do
    if [[ ${COMP_WORDBREAKS-=:} == *$sign* && $word == *$sign* ]]; then
      each=${word%"${word##*$sign}"}
      if ((${#each} > ${#cut})); then cut=$each; fi
    fi
  done
  COMPREPLY=("${candidates[@]#"$cut"}")
  local all="${candidates[*]/%/ }"
  if [[ ${candidates[0]-} == *= && $all != *[^=]' '* ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}
complete -F _upwash upwash
)bash";

/// A function that sets variables by the word it is given; false where it knows none.
std::string cases(std::string_view name, const std::vector<std::string>& lines) {
  return fmt::format("\n{}() {{\n  case \"$1\" in\n{}    *) return 1 ;;\n  esac\n}}\n", name,
                     fmt::join(lines, ""));
}

std::string yes(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  std::vector<std::string> patterns;
  for (const std::string& each : words) patterns.push_back(fmt::format("\"{}\"", each));
  return fmt::format("    {}) ;;\n", fmt::join(patterns, "|"));
}

std::string sets(const std::string& word, std::string_view variable,
                 const std::vector<std::string>& to) {
  return fmt::format("    \"{}\") {}={} ;;\n", word, variable,
                     in_quotes(fmt::format("{}", fmt::join(to, " "))));
}

}  // namespace

std::string bash_completion(const described_command& top, const completion_words& words) {
  const completion_facts facts = facts_of(top);
  std::vector<std::string> known, values, knobs, algorithms, knob_names;
  for (const completed_command& each : facts.commands) {
    known.push_back(fmt::format("    \"{}\")\n      known={} below={} values={} ;;\n", each.path,
                                in_quotes(fmt::format("{}", fmt::join(each.options, " "))),
                                in_quotes(fmt::format("{}", fmt::join(each.below, " "))),
                                in_quotes(fmt::format("{}", fmt::join(each.first_choices, " ")))));
  }
  for (const completed_value& each : facts.values) {
    if (each.is == completed_by::files) continue;
    values.push_back(fmt::format(
        "    {}) kind={} values={} ;;\n",
        [&] {
          std::vector<std::string> patterns;
          for (const std::string& name : each.patterns) patterns.push_back("\"" + name + "\"");
          return fmt::format("{}", fmt::join(patterns, "|"));
        }(),
        name_of(each.is), in_quotes(fmt::format("{}", fmt::join(each.choices, " ")))));
  }
  for (const named_words& each : words.knobs) {
    knob_names.push_back(each.name);
    if (!each.words.empty()) knobs.push_back(sets(each.name, "values", each.words));
  }
  for (const named_words& each : words.algorithms) {
    algorithms.push_back(sets(each.name, "values", each.words));
  }
  return fmt::format("{}{}{}{}{}{}{}{}_upwash_knobs={}\n{}", shell_licence,
                     cases("_upwash_is_command", {yes(facts.paths())}),
                     cases("_upwash_starts_program", {yes(facts.starting)}),
                     cases("_upwash_takes_value", {yes(facts.patterns())}),
                     cases("_upwash_words", known), cases("_upwash_choices", values),
                     cases("_upwash_knob", knobs), cases("_upwash_algorithms", algorithms),
                     in_quotes(fmt::format("{}", fmt::join(knob_names, " "))), walk);
}

}  // namespace upwash::tools
