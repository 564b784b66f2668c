// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scheme for a graph and a size of blocks: members estimate their own plans' rounds, price the
// schemes that are near each other, and agree.
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

/// What the job was installed with.
class costs final : public service_base {
 public:
  explicit costs(job& /*here*/) {}
  machine_by_name* on = nullptr;
};

/// Gives a plan its lengths: of one that may be chosen. Collective where lengths must travel first.
using layout_maker =
    function_ref<std::shared_ptr<const relay_call>(const std::shared_ptr<const relay_plan>&)>;

/// How edges of the collectives of neighbours travel where a call does not say it otherwise.
[[nodiscard]] schedule::transfer_rules rules_of_edges(const team& among);

/// The scheme for blocks of so many bytes, or, of different lengths, of so many at least, by what
/// `lay_out` makes of plans. Makes the plans of those schemes that may be the best by a bound,
/// which the state keeps; three reductions for each stage of the search, and of those that are near
/// each other the prices. Collective, blocking.
[[nodiscard]] std::string choose_scheme(neighborhood_state& of, contents what, std::uint64_t bytes,
                                        layout_maker lay_out);

}  // namespace upwash::neighborhoods::detail
