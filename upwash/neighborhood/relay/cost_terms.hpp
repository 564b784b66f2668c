// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What costs of plans depend on beside the plans.
#pragma once

#include <cstdint>

#include "upwash/model/machine.hpp"
#include "upwash/model/node_map.hpp"

namespace upwash::neighborhoods {

/// Refers to what it is given.
struct cost_terms {
  const model::node_map& nodes;
  const machine& on;
  std::uint64_t eager_bytes;  ///< edges of up to so many bytes travel eagerly (schedule/lower.hpp)
};

}  // namespace upwash::neighborhoods
