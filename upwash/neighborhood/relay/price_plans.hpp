// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the plans of all ranks take on a machine.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/neighborhood/relay/relay_plan.hpp"

namespace upwash::neighborhoods {

/// Of blocks of so many bytes, by the price of the ranks' schedules (schedule/price.hpp). About
/// 0.3 us a step. Throws what that throws.
[[nodiscard]] duration price_plans(const std::vector<relay_plan>& plans, std::uint64_t bytes,
                                   const machine& on);

}  // namespace upwash::neighborhoods
