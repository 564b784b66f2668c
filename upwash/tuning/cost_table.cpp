// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/cost_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::tuning {
namespace {

constexpr std::uint64_t most_steps = 10'000;  ///< of one candidate: a first call is not held up

}  // namespace

cost_table_selector::cost_table_selector(std::string_view machine_name)
    : predicts_(load_machine(machine_name)) {}

const collective::selector::choice& cost_table_selector::choose(const collective::registry& from,
                                                                const collective::problem& call) {
  std::vector<cost_row> table;
  for (const collective::ranked& each :
       collective::ranking(collective::candidates(from, call), call, predicts_, most_steps)) {
    table.push_back(
        {each.what, text_of(each.what), each.predicted ? each.predicted->ns() : cost_row::unknown});
  }
  edit(call, table);
  const auto best = std::min_element(table.begin(), table.end(),
                                     [](const auto& a, const auto& b) { return a.ns < b.ns; });
  if (best == table.end() || !(best->ns < cost_row::never)) {
    throw error(error_kind::argument,
                fmt::format("the program's own tuner allows none of the {} candidates for {} of {} "
                            "bytes among {} ranks",
                            table.size(), to_string(call.of), call.bytes, call.ranks));
  }
  chosen_ = {best->what, fmt::format("the program's own tuner gives it {:.2f} us, the least of {}",
                                     best->ns * 1e-3, table.size())};
  for (const cost_row& each : table) {
    const bool known = each.ns < cost_row::unknown;
    chosen_.considered.push_back(
        {each.what, known ? std::optional(duration::from_ns(each.ns)) : std::nullopt});
  }
  return chosen_;
}

}  // namespace upwash::tuning
