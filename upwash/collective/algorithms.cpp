// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm of this folder, as a row of the table: parameters, then the row.
#include "upwash/collective/dissemination_barrier.hpp"
#include "upwash/collective/doubling_scan.hpp"
#include "upwash/collective/knomial_broadcast.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/collective/ring_all_reduce.hpp"

namespace upwash::collective {
namespace {

using model::parameter;
using model::values;
using schedule::generator;

/// Larger vectors than any memory, and what counts of bytes may still be added to.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48U;
constexpr std::uint64_t most_ranks = (std::uint64_t{1} << 31U) - 1;

constexpr parameter knomial_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree"},
    {"segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once"},
};

}  // namespace

void add_algorithms(registry& to) {
  to.add({.of = kind::barrier,
          .is = {.name = "dissemination",
                 .parameters = {},
                 .doc = "in round k tell the rank 2^k further",
                 .source = "Hensgen, Finkel and Manber 1988"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(dissemination_barrier(call.ranks, rank));
          }});
  to.add({.of = kind::broadcast,
          .is = {.name = "knomial",
                 .parameters = knomial_parameters,
                 .doc = "a tree of radix k; segments go down one behind the other",
                 .source = "Nishtala et al. 2009, trees"},
          .make = [](const problem& call, const values& with, int rank) {
            const knomial_broadcast::parameters chosen{static_cast<int>(with[0]), with[1]};
            return generator(
                knomial_broadcast(call.ranks, rank, call.root, call.bytes, chosen, call.in_place));
          }});
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

}  // namespace upwash::collective
