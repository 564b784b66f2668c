// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses the scheme for a graph and a block size. Members estimate the rounds of their own plans,
// price schemes with close estimates, and agree.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/job.hpp"
#include "upwash/neighborhood/install.hpp"
#include "upwash/neighborhood/relay/router.hpp"
#include "upwash/neighborhood/relay/scheme_costs.hpp"
#include "upwash/neighborhood/relay_family.hpp"

namespace upwash::neighborhoods::detail {

class neighborhood_state;

/// The machine that the job was installed with.
class costs final : public service_base {
 public:
  explicit costs(job& /*here*/) {}
  machine_by_name* on = nullptr;
};

/// Adds lengths to a plan that may be chosen. Collective if lengths must be exchanged first.
using layout_maker =
    function_ref<std::shared_ptr<const relay_call>(const std::shared_ptr<const relay_plan>&)>;

/// Returns the transfer rules of neighbor collectives, if a call does not set them.
[[nodiscard]] schedule::transfer_rules rules_of_edges(const team& among);

/// Returns the scheme for blocks of `bytes` bytes (for different lengths, of at least `bytes`).
/// `lay_out` makes calls from plans. Makes the plans of the schemes that may be the best by a
/// bound; the state keeps them. Cost: three reductions for each stage of the search, and the prices
/// of schemes with close estimates. Collective, blocking.
[[nodiscard]] std::string choose_scheme(neighborhood_state& of, contents what, std::uint64_t bytes,
                                        layout_maker lay_out);

}  // namespace upwash::neighborhoods::detail
