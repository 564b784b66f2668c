// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/price_plans.hpp"

#include <algorithm>

#include "upwash/model/cost.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::neighborhoods {
namespace {

/// What a team of all ranks has, and each node of a team of several.
constexpr std::uint64_t most_shared = std::uint64_t{1} << 20U;
constexpr std::uint64_t most_of_node = std::uint64_t{256} << 10U;

}  // namespace

duration price_plans(const std::vector<relay_plan>& plans, std::uint64_t bytes, const machine& on) {
  std::vector<laid_out_plan> layouts;
  layouts.reserve(plans.size());
  for (const relay_plan& each : plans) layouts.emplace_back(each, bytes, most_of_node);
  schedule::price_options all;
  all.every_rank = true;
  all.most_steps = ~std::uint64_t{0};
  const bool by_messages = std::none_of(
      plans.begin(), plans.end(), [](const relay_plan& each) { return each.shared_slots > 0; });
  return schedule::price(
             static_cast<int>(plans.size()),
             [&](int rank) { return layouts[static_cast<std::size_t>(rank)].steps(most_shared); },
             by_messages ? model::with_edges(on) : on, {.direct = !by_messages}, all)
      .completion;
}

}  // namespace upwash::neighborhoods
