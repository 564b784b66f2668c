// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion for fish: one function that walks along the words, and functions of one `switch` each
// that say what there is. fish puts no blank behind a word that ends with "=".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "tools/completion.hpp"
#include "tools/completion_facts.hpp"

namespace upwash::tools {
namespace {

constexpr std::string_view quote = "\\'";

constexpr std::string_view walk = R"fish(
# What may follow an option, with what is typed of it.
function __upwash_values
    set -l typed $argv[2]
    switch (__upwash_kind $argv[1])
        case choices
            __upwash_choices $argv[1]
        case knobs
            if string match -q '*=*' -- $typed
                set -l name (string split -m 1 = -- $typed)[1]
                for value in (__upwash_knob $name)
                    echo $name=$value
                end
            else
                __upwash_knobs
            end
        case algorithms
            for word in $argv[3..-1]
                __upwash_algorithms (string replace -r '^--[a-z-]+=' '' -- $word)
            end
        case '*'
            __fish_complete_path $typed
    end
end

function __upwash
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l command ''
    set -l option ''
    set -l arguments 0
    set -l program ''
    for each in $words[2..-1]
        if test -n "$option"
            set option ''
        else if test "$each" = --
            set program yes
            break
        else if string match -q -- '-*' $each
            if not string match -q -- '*=*' $each; and test -n (__upwash_kind "$command $each")
                set option $each
            end
        else if __upwash_is_command (string trim -- "$command $each")
            set command (string trim -- "$command $each")
        else if __upwash_starts_program "$command"
            set program yes
            break
        else
            set arguments (math $arguments + 1)
        end
    end
    if test -n "$program"
        __fish_complete_path $word
    else if test -n "$option"
        __upwash_values "$command $option" "$word" $words
    else if string match -q -- '--*=*' $word
        set -l parts (string split -m 1 = -- $word)
        for each in (__upwash_values "$command $parts[1]" "$parts[2]" $words)
            echo $parts[1]=$each
        end
    else if string match -q -- '-*' "$word"
        __upwash_options "$command"
    else if test $arguments = 0
        set -l first (__upwash_first "$command")
        if test -n "$first"
            printf '%s\n' $first
        else if test -n "$command"
            __fish_complete_path $word
        end
        __upwash_below "$command"
    else
        __fish_complete_path $word
    end
end
complete -c upwash -f -a '(__upwash)'
)fish";

std::string line_of(std::string_view name, std::string_view text) {
  return fmt::format(
      "            echo {}\n",
      in_quotes(text.empty() ? std::string(name) : fmt::format("{}\t{}", name, text), quote));
}

std::string lines_of(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& each : words) all += line_of(each, {});
  return all;
}

std::string when(const std::vector<std::string>& words, std::string_view then) {
  if (words.empty() || then.empty()) return {};
  std::vector<std::string> quoted;
  for (const std::string& each : words) quoted.push_back(in_quotes(each, quote));
  return fmt::format("        case {}\n{}", fmt::join(quoted, " "), then);
}

std::string looks_up(std::string_view name, const std::string& cases, bool says_whether = false) {
  return fmt::format("\nfunction __upwash_{}\n    switch \"$argv[1]\"\n{}{}    end\nend\n", name,
                     cases, says_whether ? "        case '*'\n            return 1\n" : "");
}

}  // namespace

std::string fish_completion(const described_command& top, const completion_words& words) {
  const completion_facts facts = facts_of(top);
  std::string options, first, below, kinds, choices, knobs, names, algorithms;
  for (const completed_command& each : facts.commands) {
    std::string lines, commands;
    for (const described_option& option : each.is->options) {
      if (option.positional) continue;
      for (const std::string& name : option.names) lines += line_of(name, option.text);
    }
    for (const described_command& one : each.is->below) {
      commands += line_of(one.words.back(), one.text);
    }
    options += when({each.path}, lines);
    below += when({each.path}, commands);
    first += when({each.path}, lines_of(each.first_choices));
  }
  for (const completed_value& each : facts.values) {
    kinds += when(each.patterns, fmt::format("            echo {}\n", name_of(each.is)));
    if (each.is == completed_by::choices) choices += when(each.patterns, lines_of(each.choices));
  }
  for (const named_words& each : words.knobs) {
    names += fmt::format("    echo {}=\n", each.name);
    knobs += when({each.name}, lines_of(each.words));
  }
  for (const named_words& each : words.algorithms) {
    algorithms += when({each.name}, lines_of(each.words));
  }
  const std::string nothing = "            true\n";
  return fmt::format("{}{}{}{}{}{}{}{}{}{}\nfunction __upwash_knobs\n{}end\n{}", shell_licence,
                     looks_up("is_command", when(facts.paths(), nothing), true),
                     looks_up("starts_program", when(facts.starting, nothing), true),
                     looks_up("options", options), looks_up("below", below),
                     looks_up("first", first), looks_up("kind", kinds),
                     looks_up("choices", choices), looks_up("knob", knobs),
                     looks_up("algorithms", algorithms), names, walk);
}

}  // namespace upwash::tools
