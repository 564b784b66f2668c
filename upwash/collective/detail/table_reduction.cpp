// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/doubling_scan.hpp"
#include "upwash/collective/algorithms/ring_all_reduce.hpp"
#include "upwash/collective/detail/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

void add_reductions(registry& to) {
  to.add({.of = kind::all_reduce,
          .is = {.name = "ring",
                 .parameters = {},
                 .requirements = model::needs_commutative,
                 .doc = "blocks travel round the ring, combined on their way",
                 .source = "Patarasuk and Yuan 2009"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(ring_all_reduce(call.ranks, rank, call.bytes / call.element_bytes,
                                             call.element_bytes, call.in_place));
          }});
  to.add({.of = kind::scan,
          .is = {.name = "doubling",
                 .parameters = {},
                 .doc = "in round k hand what is combined to the rank 2^k further",
                 .source = "Hillis and Steele 1986"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(doubling_scan(call.ranks, rank, call.bytes, call.in_place));
          }});
}

}  // namespace upwash::collective::detail
