// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay_family.hpp"

#include <utility>

namespace upwash::neighborhoods {

using collective::extent;
using collective::kind;
using collective::problem;

// The calls look at their buffers themselves: a member has as many blocks as neighbours.
const collective::family all_gather_family{
    .name = "neighbor_all_gather", .input = extent::one, .output = extent::nothing};
const collective::family all_to_all_family{
    .name = "neighbor_all_to_all", .input = extent::nothing, .output = extent::nothing};

relay_call::relay_call(std::shared_ptr<const relay_plan> plan, std::uint64_t bytes,
                       std::uint64_t node_scratch)
    : plan_(std::move(plan)), layout_(*plan_, bytes, node_scratch) {}

relay_call::relay_call(std::shared_ptr<const relay_plan> plan, const laid_out_plan::uneven& lengths)
    : plan_(std::move(plan)), layout_(*plan_, lengths) {}

std::strong_ordering relay_call::compare(const particulars& other) const noexcept {
  return std::compare_three_way{}(this, static_cast<const relay_call*>(&other));
}

void add_algorithms(collective::registry& to) {
  for (const collective::family* each : {&all_gather_family, &all_to_all_family}) {
    to.add({.of = kind(*each),
            .is = {.name = "relay",
                   .parameters = {},
                   .doc = "the plan of the neighborhood's scheme",
                   .source = "Ghazimirsaeed 2019, Algorithm 7.4"},
            .make = [](const problem& call, const model::values&, int) {
              const laid_out_plan& all = call.further.as<relay_call>().layout();
              return call.direct_access ? all.steps(call.shared_scratch) : all.steps_by_messages();
            }});
  }
}

}  // namespace upwash::neighborhoods
