// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/schedule_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "tools/report_page.hpp"

namespace upwash::tools {

std::string schedule_page(const schedule::drawing& of,
                          function_ref<schedule::generator(int)> schedule_of) {
  using schedule::step_kind;
  nlohmann::json steps = nlohmann::json::array();
  std::uint32_t rounds = 1;
  for (const schedule::drawn_step& each : drawn_steps(of, schedule_of)) {
    const schedule::step& what = each.what;
    rounds = std::max(rounds, what.round + 1);
    steps.push_back({{"rank", each.when.rank},
                     {"kind", std::string(to_string(what.kind))},
                     {"peer", what.peer},
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
                  {"rounds", rounds},
                  {"steps", std::move(steps)}});
}

}  // namespace upwash::tools
