// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/schedule_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "tools/report_page.hpp"

namespace upwash::tools {
namespace {

/// The line of the rank whose memory a piece lies in; -1: of the rank's own, or nowhere.
int owner_line(const schedule::piece& of, int rank, const schedule::rank_lines& lines) {
  const bool none = of.of == schedule::buffer::none || of.owner == schedule::own;
  return none || of.owner == rank ? -1 : lines.of(of.owner);
}

}  // namespace

std::string schedule_page(const schedule::drawing& of,
                          function_ref<schedule::generator(int)> schedule_of) {
  using schedule::step_kind;
  nlohmann::json steps = nlohmann::json::array();
  std::uint32_t rounds = 1;
  const schedule::rank_lines lines(of.ranks);
  nlohmann::json names = nlohmann::json::array();
  for (int line = 0; line < lines.count(); ++line) names.push_back(lines.name(line));
  for (const schedule::drawn_step& each : drawn_steps(of, schedule_of)) {
    const schedule::step& what = each.what;
    rounds = std::max(rounds, what.round + 1);
    const bool works = what.kind == step_kind::copy || what.kind == step_kind::reduce;
    const int rank = each.when.rank;
    const int left = owner_line(what.left, rank, lines);
    const int read = left >= 0 ? left : owner_line(what.right, rank, lines);
    steps.push_back({{"line", lines.of(rank)},
                     {"kind", std::string(to_string(what.kind))},
                     {"peer", what.peer < 0 ? -1 : lines.of(what.peer)},
                     {"reads", works ? read : -1},
                     {"writes", works ? owner_line(what.into, rank, lines) : -1},
                     {"count", each.count},
                     {"bytes", what.kind == step_kind::send ? what.left.bytes : what.into.bytes},
                     {"round", what.round},
                     {"begun", each.when.begun.us()},
                     {"done", each.when.done.us()},
                     {"arrives", each.arrives.us()}});
  }
  return page_of(page_kind::schedule,
                 {{"title", of.title},
                  {"unit", of.on != nullptr ? fmt::format("us on {}", of.on->name)
                                            : "messages, a rank sends one at a time"},
                  {"ranks", of.ranks},
                  {"lines", std::move(names)},
                  {"rounds", rounds},
                  {"steps", std::move(steps)}});
}

}  // namespace upwash::tools
