// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The classes of ranks that generators name, and who stands for each.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::schedule::detail {

struct rank_classes {
  std::vector<std::uint32_t> of_rank;  ///< number of its class
  std::vector<int> representatives;    ///< by class: the one in the middle
  std::vector<std::uint32_t> members;  ///< by class: how many
};

/// Makes the schedules of all ranks, O(1) each. Empty if ranks name none.
[[nodiscard]] rank_classes find_classes(int ranks, function_ref<generator(int rank)> schedule_of);

}  // namespace upwash::schedule::detail
