// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the plans of all ranks take on a machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/plan_outline.hpp"
#include "upwash/neighborhood/relay/relay_plan.hpp"

namespace upwash::neighborhoods {

/// What ranks of a node share for an operation, where a job is not asked.
inline constexpr std::uint64_t scratch_of_node = std::uint64_t{256} << 10U;

/// By the price of the ranks' schedules (schedule/price.hpp), given in short: about 0.3 us a step.
/// Copies that the machine has no cost for take no time. Throws what that throws.
[[nodiscard]] duration price_plans(std::span<const plan_outline> by_rank, const cost_terms& in);
/// The same of plans for blocks of so many bytes.
[[nodiscard]] duration price_plans(const std::vector<relay_plan>& plans, std::uint64_t bytes,
                                   const cost_terms& in);

}  // namespace upwash::neighborhoods
