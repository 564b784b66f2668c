// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices the plans of all ranks on a machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/plan_outline.hpp"
#include "upwash/neighborhood/relay/relay_plan.hpp"

namespace upwash::neighborhoods {

/// Bytes that the ranks of a node share for an operation, if no job gives the value.
inline constexpr std::uint64_t scratch_of_node = std::uint64_t{256} << 10U;

/// Returns the price of the ranks' schedules (schedule/price.hpp), given as outlines. Cost: about
/// 0.3 us a step. Copies without a cost in the machine take no time. Throws as price does.
[[nodiscard]] duration price_plans(std::span<const plan_outline> by_rank, const cost_terms& in);
/// The same for plans of blocks of `bytes` bytes.
[[nodiscard]] duration price_plans(const std::vector<relay_plan>& plans, std::uint64_t bytes,
                                   const cost_terms& in);

}  // namespace upwash::neighborhoods
