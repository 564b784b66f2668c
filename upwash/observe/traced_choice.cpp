// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/observe/traced_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace upwash::observe {
namespace {

std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\t' || c == '\0'; }, ' ');
  return text;
}

/// Takes the first line away.
std::string_view next_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

}  // namespace

std::string text_of(const traced_choice& one) {
  std::string all =
      fmt::format("{}\n{}\n{}\n{}\n", on_one_line(one.problem), on_one_line(one.chosen),
                  on_one_line(one.label), on_one_line(one.how));
  for (const traced_candidate& each : one.candidates) {
    all += fmt::format("\t{}\t", on_one_line(each.name));
    if (each.predicted_ns) all += fmt::format("{:.1f}", *each.predicted_ns);
    all += '\n';
  }
  return all + on_one_line(one.why);
}

traced_choice read_choice(std::string_view text) {
  traced_choice one;
  for (std::string* each : {&one.problem, &one.chosen, &one.label, &one.how}) {
    *each = next_line(text);
  }
  while (text.starts_with('\t')) {
    std::string_view line = next_line(text).substr(1);
    const std::string_view name = line.substr(0, line.find('\t'));
    line.remove_prefix(std::min(line.size(), name.size() + 1));
    traced_candidate made{std::string(name), std::nullopt};
    double ns = 0;
    const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), ns);
    if (status == std::errc() && end == line.data() + line.size()) made.predicted_ns = ns;
    one.candidates.push_back(std::move(made));
  }
  one.why = text;
  return one;
}

}  // namespace upwash::observe
