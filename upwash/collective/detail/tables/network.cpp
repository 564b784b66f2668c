// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/in_network.hpp"
#include "upwash/collective/detail/tables/one_buffer.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {

using model::needs_commutative;
using model::needs_network;
using schedule::step_kind;

namespace {

model::choice described(std::string_view doc, std::uint32_t requirements) {
  return {.name = "in_network",
          .parameters = {},
          .requirements = requirements,
          .doc = doc,
          .source = "Kumar 2005, section 8.1"};
}

}  // namespace

void add_in_network(registry& to) {
  to.add({.of = kind::barrier,
          .is = described("the switches let nobody pass before all have come", needs_network),
          .make = [](const problem&, const model::values&, int /*rank*/) {
            return in_network(step_kind::net_barrier, 0, schedule::own, false);
          }});
  to.add({.of = kind::broadcast,
          .is = described("the switches copy the root's packets to all", needs_network),
          .make = [](const problem& call, const model::values&, int /*rank*/) {
            return in_network(step_kind::net_multicast, call.bytes, call.root, call.in_place);
          }});
  to.add({.of = kind::reduce,
          .is = described("the switches combine packets on their way to the root",
                          needs_network | needs_commutative),
          .make = [](const problem& call, const model::values&, int rank) {
            return in_network(step_kind::net_reduce, call.bytes, call.root,
                              is_in_place(call, rank));
          }});
  to.add({.of = kind::all_reduce,
          .is = described("the switches combine packets up a tree and spread the result",
                          needs_network | needs_commutative),
          .make = [](const problem& call, const model::values&, int /*rank*/) {
            return in_network(step_kind::net_reduce, call.bytes, schedule::own, call.in_place);
          }});
}

}  // namespace upwash::collective::detail
