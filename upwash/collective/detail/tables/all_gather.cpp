// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/direct_exchange.hpp"
#include "upwash/collective/algorithms/mesh_all_gather.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter k_prefix_parameters[] = {
    {"k", 1, most_ranks, 8, "ranks in a partition; the largest power of two in it that divides P"},
    {"pacing", 0, most_ranks, 0, "messages between two barriers; 0: none", model::trial::none},
};
constexpr parameter k_shift_parameters[] = {
    {"k", 1, most_ranks, 8, "ranks that a rank sends each block to"},
};
constexpr parameter dissemination_parameters[] = {
    {"k", 2, most_radix, 2, "radix: in each round to k - 1 ranks"},
};
constexpr parameter hypercube_parameters[] = {
    {"zeta", 0, most_direct_dimensions, 0, "last dimensions, sent to all at once"},
};
constexpr parameter prefix_parameters[] = {
    {"ahead", 0, direct_stages::most_ahead, 1,
     "stages that may run ahead of what comes; 0: any number"},
};

template <int Dimensions>
generator mesh_of(const problem& call, const values&, int rank) {
  return generator(mesh_all_gather(call.ranks, rank, call.bytes, Dimensions, call.in_place));
}

generator direct_of(const problem& call, int rank, direct_stages::partners order, int ahead) {
  return generator(direct_exchange(call.ranks, rank, call.bytes,
                                   {order, direct_stages::payload::same_for_all, ahead},
                                   call.in_place));
}

void add_combining(registry& to) {
  to.add({.of = kind::all_gather,
          .is = {.name = "dissemination",
                 .parameters = dissemination_parameters,
                 .doc = "in round r the blocks of k^r ranks from k - 1 ranks; turned at the end",
                 .source = "Bruck et al. 1997"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(dissemination_all_gather(blocks::alike(call.ranks, call.bytes), rank,
                                                      static_cast<int>(with[0]), call.in_place));
          }});
  to.add({.of = kind::all_gather,
          .is = {.name = "recursive_doubling",
                 .parameters = {},
                 .requirements = model::needs_power_of_two,
                 .doc = "in stage i exchange all there is with the rank that differs in bit i",
                 .source = "Thakur, Rabenseifner and Gropp 2005"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(hypercube_all_gather(call.ranks, rank, call.bytes, 0, call.in_place));
          }});
  to.add({.of = kind::all_gather,
          .is = {.name = "hypercube",
                 .parameters = hypercube_parameters,
                 .doc = "as recursive doubling, for any number of ranks; the last stages direct",
                 .source = "Kumar 2005, 3.1.3 and 3.1.5"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(hypercube_all_gather(call.ranks, rank, call.bytes,
                                                  static_cast<int>(with[0]), call.in_place));
          }});
  to.add({.of = kind::all_gather,
          .is = {.name = "mesh2d",
                 .parameters = {},
                 .doc = "to all of the row, then what there is to all of the column",
                 .source = "Kumar 2005, 3.1.1"},
          .make = mesh_of<2>});
  to.add({.of = kind::all_gather,
          .is = {.name = "mesh3d",
                 .parameters = {},
                 .doc = "to all of a line of a cube, in each of three dimensions",
                 .source = "Kumar 2005, 3.1.2"},
          .make = mesh_of<3>});
}

void add_direct(registry& to) {
  to.add({.of = kind::all_gather,
          .is = {.name = "direct",
                 .parameters = {},
                 .doc = "each block straight from its owner to every rank",
                 .source = "Kumar 2005, equation 3.1"},
          .make = [](const problem& call, const values&, int rank) {
            return direct_of(call, rank, direct_stages::partners::shifted, 0);
          }});
  to.add({.of = kind::all_gather,
          .is = {.name = "prefix_send",
                 .parameters = prefix_parameters,
                 .requirements = model::needs_power_of_two,
                 .doc = "in stage i exchange with the rank that differs by XOR i",
                 .source = "Kumar 2005, 4.3.2"},
          .make = [](const problem& call, const values& with, int rank) {
            return direct_of(call, rank, direct_stages::partners::paired,
                             static_cast<int>(with[0]));
          }});
  to.add({.of = kind::all_gather,
          .is = {.name = "k_shift",
                 .parameters = k_shift_parameters,
                 .doc = "each block to the k - 1 ranks around, and on to the rank k further",
                 .source = "Kumar 2005, 4.3.4"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(
                k_shift_all_gather(call.ranks, rank, call.bytes, with[0], call.in_place));
          }});
}

void add_neighbouring(registry& to) {
  to.add({.of = kind::all_gather,
          .is = {.name = "neighbor_exchange",
                 .parameters = {},
                 .doc = "two blocks at a time, by turns with the two neighbours",
                 .source = "Chen et al. 2005"},
          .make =
              [](const problem& call, const values&, int rank) {
                return generator(
                    neighbor_exchange_all_gather(call.ranks, rank, call.bytes, call.in_place));
              },
          .objection =
              [](const problem& call, const values&) {
                if (neighbor_exchange_serves(call.ranks)) return std::string();
                return fmt::format("neighbor_exchange needs an even number of ranks, not {}",
                                   call.ranks);
              }});
  to.add({.of = kind::all_gather,
          .is = {.name = "ring",
                 .parameters = {},
                 .doc = "blocks travel from neighbour to neighbour",
                 .source = "Kumar 2005, 4.3.1"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(
                k_prefix_all_gather(call.ranks, rank, call.bytes, 1, 0, call.in_place));
          }});
}

}  // namespace

void add_all_gathers(registry& to) {
  to.add({.of = kind::all_gather,
          .is = {.name = "k_prefix",
                 .parameters = k_prefix_parameters,
                 .doc = "partitions of k ranks exchange, and hand on to the next partition",
                 .source = "Kumar 2005, 4.3.3 and 4.4"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(
                k_prefix_all_gather(call.ranks, rank, call.bytes, with[0], with[1], call.in_place));
          }});
  add_combining(to);
  add_direct(to);
  add_neighbouring(to);
}

}  // namespace upwash::collective::detail
