// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/central_counter_barrier.hpp"
#include "upwash/collective/algorithms/dissemination_barrier.hpp"
#include "upwash/collective/detail/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

void add_barriers(registry& to) {
  to.add({.of = kind::barrier,
          .is = {.name = "dissemination",
                 .parameters = {},
                 .doc = "in round k tell the rank 2^k further",
                 .source = "Hensgen, Finkel and Manber 1988"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(dissemination_barrier(call.ranks, rank));
          }});
  to.add({.of = kind::barrier,
          .is = {.name = "central",
                 .parameters = {},
                 .doc = "all count up one counter and watch it; the baseline of thread libraries",
                 .source = "Nishtala et al. 2009, barriers"},
          .make = [](const problem& call, const values&, int /*rank*/) {
            return generator(central_counter_barrier(call.ranks));
          }});
}

}  // namespace upwash::collective::detail
