// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "upwash/collective/algorithms/all_reduces.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/reduce_scatters.hpp"
#include "upwash/collective/algorithms/scans.hpp"
#include "upwash/collective/detail/tables/one_buffer.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter dissemination_parameters[] = {
    {"k", 2, most_radix, 2, "radix: P must be a power of it"},
};

template <exchanges What>
generator cube_of(const problem& call, const values&, int rank) {
  return generator(cube_all_reduce(call.ranks, rank, call.bytes / call.element_bytes,
                                   call.element_bytes, What, call.in_place));
}

std::string no_power(const problem& call, const values& with) {
  const int radix = static_cast<int>(with[0]);
  if (is_power_of(radix, call.ranks)) return {};
  return fmt::format("dissemination with k={} needs a power of {} as the number of ranks, not {}",
                     radix, radix, call.ranks);
}

void add_all_reduces(registry& to) {
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
  to.add({.of = kind::all_reduce,
          .is = {.name = "recursive_doubling",
                 .parameters = {},
                 .doc = "in stage i exchange vectors with the rank that differs in bit i",
                 .source = "Thakur, Rabenseifner and Gropp 2005"},
          .make = cube_of<exchanges::whole_vectors>});
  to.add({.of = kind::all_reduce,
          .is = {.name = "rabenseifner",
                 .parameters = {},
                 .doc = "as recursive doubling, by halves: a reduce-scatter, then an all-gather",
                 .source = "Thakur, Rabenseifner and Gropp 2005"},
          .make = cube_of<exchanges::halves>});
  to.add({.of = kind::all_reduce,
          .is = {.name = "dissemination",
                 .parameters = dissemination_parameters,
                 .requirements = model::needs_commutative,
                 .doc = "in round r tell the ranks 1 to k-1 times k^r further what is combined",
                 .source = "Hensgen, Finkel and Manber 1988"},
          .make =
              [](const problem& call, const values& with, int rank) {
                return generator(dissemination_all_reduce(
                    call.ranks, rank, call.bytes, static_cast<int>(with[0]), call.in_place));
              },
          .objection = no_power});
}

void add_reduce_scatters(registry& to) {
  to.add({.of = kind::reduce_scatter,
          .is = {.name = "pairwise",
                 .parameters = {},
                 .doc = "each block straight to its owner",
                 .source = "Thakur, Rabenseifner and Gropp 2005"},
          .make = [](const problem& call, const values&, int rank) {
            return in_one_buffer(
                call, rank, pairwise_reduce_scatter(blocks::alike(call.ranks, call.bytes), rank));
          }});
  to.add({.of = kind::reduce_scatter,
          .is = {.name = "halving",
                 .parameters = {},
                 .requirements = model::needs_commutative,
                 .doc = "exchange halves of what is left with the other half of a cube",
                 .source = "Thakur, Rabenseifner and Gropp 2005"},
          .make = [](const problem& call, const values&, int rank) {
            return in_one_buffer(call, rank, halving_reduce_scatter(call.ranks, rank, call.bytes),
                                 landing::not_placed);
          }});
  to.add({.of = kind::reduce_scatter,
          .is = {.name = "ring",
                 .parameters = {},
                 .requirements = model::needs_commutative,
                 .doc = "blocks travel round the ring to their owners, combined on their way",
                 .source = "Patarasuk and Yuan 2009"},
          .make = [](const problem& call, const values&, int rank) {
            return in_one_buffer(call, rank,
                                 ring_reduce_scatter(blocks::alike(call.ranks, call.bytes), rank));
          }});
}

void add_scans(registry& to) {
  to.add({.of = kind::scan,
          .is = {.name = "doubling",
                 .parameters = {},
                 .doc = "in round k hand what is combined to the rank 2^k further",
                 .source = "Hillis and Steele 1986"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(doubling_scan(call.ranks, rank, call.bytes, call.in_place));
          }});
  to.add({.of = kind::scan,
          .is = {.name = "linear",
                 .parameters = {},
                 .doc = "a chain: combine what comes with the own, and hand it on; the baseline",
                 .source = "the definition"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(linear_scan(call.ranks, rank, call.bytes, call.in_place));
          }});
  to.add({.of = kind::exclusive_scan,
          .is = {.name = "doubling",
                 .parameters = {},
                 .doc = "hand the own to the next rank, then scan what came",
                 .source = "Hillis and Steele 1986"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(doubling_exclusive_scan(call.ranks, rank, call.bytes, call.in_place));
          }});
}

}  // namespace

void add_reductions(registry& to) {
  add_all_reduces(to);
  add_reduce_scatters(to);
  add_scans(to);
}

}  // namespace upwash::collective::detail
