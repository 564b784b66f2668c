// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/man_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "upwash/base/version.hpp"

namespace upwash::tools {
namespace {

/// As roff takes it for the same letters, also at the beginning of a line.
std::string plain(std::string_view text) {
  std::string made;
  if (text.starts_with('.') || text.starts_with('\'')) made += "\\&";
  for (const char each : text) {
    switch (each) {
      case '\\': made += "\\e"; break;
      case '-': made += "\\-"; break;
      case '\n': made += ' '; break;
      default: made += each;
    }
  }
  return made;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char each) { return std::toupper(each); });
  return text;
}

std::string option_text(const described_option& of) {
  std::vector<std::string> names;
  for (const std::string& each : of.names) names.push_back("\\fB" + plain(each) + "\\fR");
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (!of.value.empty() && !of.positional) head += " \\fI" + plain(of.value) + "\\fR";
  if (of.repeats) head += " ...";
  std::string text = of.text;
  if (!of.choices.empty()) {
    text += fmt::format("{}one of {}", text.empty() ? "" : "; ", fmt::join(of.choices, ", "));
  }
  if (of.required) text += text.empty() ? "required" : "; required";
  return fmt::format(".TP\n{}\n{}\n", head, text.empty() ? "\\&" : plain(text));
}

void add_options(std::string& page, const described_command& of, bool positional,
                 const char* title) {
  std::string all;
  for (const described_option& each : of.options) {
    if (each.positional == positional) all += option_text(each);
  }
  if (!all.empty()) page += fmt::format(".SH {}\n{}", title, all);
}

std::string knob_text(const knob& of) {
  std::string text(of.doc);
  if (!of.choices.empty()) text += fmt::format(" ({})", of.choices);
  if (!of.fallback.empty()) text += fmt::format("; {} where nothing is said", of.fallback);
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", plain(knob_variable(of.name)), plain(text));
}

}  // namespace

std::string man_page(const described_command& command, std::span<const knob> knobs) {
  const std::string name = name_of(command);
  std::string page =
      fmt::format(".TH {} 1 \"\" \"upwash {}\" \"upwash\"\n.SH NAME\n{} \\- {}\n",
                  upper(plain(name)), UPWASH_VERSION, plain(name), plain(command.text));
  page += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR {}\n", plain(name_of(command, " ")),
                      plain(command.usage));
  add_options(page, command, true, "ARGUMENTS");
  if (!command.below.empty()) page += ".SH COMMANDS\n";
  for (const described_command& each : command.below) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}; see {}(1)\n", plain(each.words.back()),
                        plain(each.text), plain(name_of(each)));
  }
  add_options(page, command, false, "OPTIONS");
  if (command.words.size() > 1) {
    return page + ".SH SEE ALSO\nupwash(1), for the variables that set knobs\n";
  }
  page +=
      ".SH ENVIRONMENT\nKnobs, which \\fB\\-\\-knob\\fR name=value sets, too. More are listed by "
      "\\fBupwash info \\-\\-knobs \\-\\-level developer\\fR.\n";
  for (const knob& each : knobs) {
    if (each.level == knob_level::user) page += knob_text(each);
  }
  return page +
         ".SH EXIT STATUS\n0; that of a job's first failing process; 1 for faults; 2 for bad "
         "input, with a line that says what is wrong.\n";
}

}  // namespace upwash::tools
