// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What several turns of the same work took, where something else may have disturbed some.
#pragma once

#include <span>
#include <vector>

#include "upwash/base/duration.hpp"

namespace apps {

/// Of a list that is not empty; of an even number the upper one of the two in the middle.
[[nodiscard]] upwash::duration median(std::vector<upwash::duration> of);

/// The median over the turns of how many times as long one took as the other did in the same turn:
/// what disturbs a turn disturbs both. Where both took the same, be it nothing, that is 1. Lists
/// are as long, and not empty.
[[nodiscard]] double median_ratio(std::span<const upwash::duration> of,
                                  std::span<const upwash::duration> over);

}  // namespace apps
