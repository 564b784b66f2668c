// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter dissemination_parameters[] = {
    {"k", 2, most_radix, 2, "radix: in each round to k - 1 ranks"},
};

}  // namespace

void add_barriers(registry& to) {
  to.add({.of = kind::barrier,
          .is = {.name = "central",
                 .parameters = {},
                 .doc = "all count up one counter and watch it; the baseline of thread libraries",
                 .source = "Nishtala et al. 2009, barriers"},
          .make = [](const problem& call, const values&, int /*rank*/) {
            return generator(central_counter_barrier(call.ranks));
          }});
  to.add({.of = kind::barrier,
          .is = {.name = "dissemination",
                 .parameters = dissemination_parameters,
                 .doc = "in round r tell the ranks 1 to k-1 times k^r further",
                 .source = "Hensgen, Finkel and Manber 1988"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(dissemination_barrier(call.ranks, rank, static_cast<int>(with[0])));
          }});
  to.add({.of = kind::barrier,
          .is = {.name = "pairwise",
                 .parameters = {},
                 .doc = "in round i exchange with the rank that differs in bit i",
                 .source = "Hensgen, Finkel and Manber 1988"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(pairwise_barrier(call.ranks, rank));
          }});
}

}  // namespace upwash::collective::detail
