// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a drawing shows: the steps of all ranks in time, gathered where ranks share lines.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/schedule/draw.hpp"

namespace upwash::schedule::draw_detail {

/// In the order of time. Throws `error` (argument) for more than so many, and what price throws.
[[nodiscard]] std::vector<drawn_step> all_steps(const drawing& of,
                                                function_ref<generator(int)> schedule_of,
                                                std::uint64_t most_steps);

/// Steps of a kind between the same two lines in a round as one, from the first to the last.
[[nodiscard]] std::vector<drawn_step> gathered(const std::vector<drawn_step>& steps,
                                               const rank_lines& on);

}  // namespace upwash::schedule::draw_detail
