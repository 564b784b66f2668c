// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of neighbors as families of collectives (collective/family.hpp), which the
// runtime adds to the registry. For layers and tools; programs do not include this.
#pragma once

#include <memory>

#include "upwash/collective/problem.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"

namespace upwash::neighborhoods {

extern const collective::family all_gather_family;
extern const collective::family all_to_all_family;

/// A rank's plan with lengths, for one call. Members have different plans, so two calls are equal
/// only if they are the same object.
class relay_call final : public collective::particulars {
 public:
  relay_call(std::shared_ptr<const relay_plan> plan, std::uint64_t bytes,
             std::uint64_t node_scratch = 0);
  relay_call(std::shared_ptr<const relay_plan> plan, const laid_out_plan::uneven& lengths);

  [[nodiscard]] const laid_out_plan& layout() const noexcept { return layout_; }
  [[nodiscard]] std::strong_ordering compare(const particulars& other) const noexcept override;

 private:
  std::shared_ptr<const relay_plan> plan_;
  laid_out_plan layout_;
};

/// Adds the algorithm of both families, which runs the plan of a call.
void add_algorithms(collective::registry& to);

}  // namespace upwash::neighborhoods
