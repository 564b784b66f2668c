// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The facts, in addition to the plans, that determine the costs of plans.
#pragma once

#include <cstdint>

#include "upwash/model/machine.hpp"
#include "upwash/model/node_map.hpp"

namespace upwash::neighborhoods {

/// Holds references to its arguments.
struct cost_terms {
  const model::node_map& nodes;
  const machine& on;
  std::uint64_t eager_bytes;  ///< largest eager edge (schedule/lower.hpp)
};

}  // namespace upwash::neighborhoods
