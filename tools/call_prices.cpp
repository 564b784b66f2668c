// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/call_prices.hpp"

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/model/network_costs.hpp"

namespace upwash::tools {

call_prices::call_prices(const machine& on) : predicts_(on) {
  collective::add_algorithms(algorithms_);
}

std::optional<duration> call_prices::price(const std::string& operation, std::uint64_t bytes,
                                           int ranks) {
  const auto [known, fresh] = known_.try_emplace({operation, bytes, ranks});
  if (fresh) known->second = least(operation, bytes, ranks);
  return known->second;
}

std::optional<duration> call_prices::least(const std::string& operation, std::uint64_t bytes,
                                           int ranks) const {
  collective::problem call;
  try {
    call.of = algorithms_.kind_named(operation);
  } catch (const error&) {
    return std::nullopt;  // a program's own
  }
  const machine& on = predicts_.on();
  const int each_node = std::min(on.ranks_in(level_kind::node), ranks);
  call.ranks = ranks;
  call.bytes = bytes;
  call.in_place = call.of.facts().one_buffer;
  call.ranks_per_node = each_node;
  call.direct_access = each_node == ranks;
  call.network_collectives = model::has_network_collectives(on);
  std::optional<duration> best;
  const std::uint64_t most_steps = collective::steps_worth_a_choice(ranks);
  for (const collective::algorithm* each : algorithms_.of(call.of)) {
    const collective::selection one{each, model::initial_values(each->is)};
    if (!collective::registry::objection(one, call).empty()) continue;
    const auto time = predicts_.predict(one, call, most_steps, best.value_or(duration::max())).time;
    if (time && (!best || *time < *best)) best = time;
  }
  return best;
}

}  // namespace upwash::tools
