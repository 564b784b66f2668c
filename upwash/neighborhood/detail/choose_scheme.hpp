// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scheme for a graph and a size of blocks: members estimate their own plans' rounds, and agree.
#pragma once

#include <array>
#include <string>

#include "upwash/core/job.hpp"
#include "upwash/neighborhood/install.hpp"
#include "upwash/neighborhood/relay/router.hpp"
#include "upwash/neighborhood/relay/scheme_costs.hpp"

namespace upwash::neighborhoods::detail {

class neighborhood_state;

/// What the job was installed with.
class costs final : public service_base {
 public:
  explicit costs(job& /*here*/) {}
  machine_by_name* on = nullptr;
};

/// By class of sizes. Makes the plans of all schemes worth a look, which the state keeps; two
/// reductions. Collective, blocking.
[[nodiscard]] std::array<std::string, looked_at.size()> choose_schemes(neighborhood_state& of,
                                                                       contents what);

}  // namespace upwash::neighborhoods::detail
