// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "upwash/collective/algorithms/all_to_alls.hpp"
#include "upwash/collective/algorithms/all_to_alls_v.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/direct_exchange.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all_v.hpp"
#include "upwash/collective/detail/tables/one_buffer.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter mesh_parameters[] = {
    {"dimensions", 1, 4, 3, "of the grid; 1: direct"},
};
constexpr parameter bruck_parameters[] = {
    {"k", 2, most_radix, 2, "radix: in each round to k - 1 ranks"},
};
constexpr parameter staged_parameters[] = {
    {"ahead", 0, direct_stages::most_ahead, 1,
     "stages that may run ahead of what comes; 0: any number"},
};

/// A grid of a fixed number of dimensions, under the name that the literature has for it.
template <int Dimensions>
schedule::generator mesh_of(const problem& call, const values&, int rank) {
  return from_a_copy(
      call, mesh_all_to_all(call.ranks, rank, call.bytes,
                            {.dimensions = Dimensions, .whole_messages = call.whole_messages}));
}
template <int Dimensions>
schedule::generator mesh_v_of(const problem& call, const values&, int rank) {
  return generator(mesh_all_to_all_v(call.ranks, rank, {.dimensions = Dimensions}));
}

// Uneven blocks are priced as equal ones, with the length that goes with each.
constexpr std::uint64_t length_bytes = 8;

generator priced_mesh_v(const problem& call, int rank, int dimensions) {
  const std::uint64_t more = dimensions == 1 ? 0 : length_bytes;
  return generator(
      mesh_all_to_all(call.ranks, rank, call.bytes + more, {.dimensions = dimensions}));
}
template <int Dimensions>
generator priced_mesh_v_of(const problem& call, const values&, int rank) {
  return priced_mesh_v(call, rank, Dimensions);
}

void add_mesh(registry& to, std::string_view name, std::string_view doc,
              decltype(algorithm::make) uniform, decltype(algorithm::make) uneven,
              decltype(algorithm::priced_as) uneven_price) {
  to.add({.of = kind::all_to_all,
          .is = {.name = name, .parameters = {}, .doc = doc, .source = "Kumar 2005, 3.1"},
          .make = uniform});
  to.add({.of = kind::all_to_all_v,
          .is = {.name = name, .parameters = {}, .doc = doc, .source = "Kumar 2005, 3.1"},
          .make = uneven,
          .priced_as = uneven_price});
}

/// A row of the grid is a node: what goes to another one is combined in the own one first.
generator node_rows(const problem& call, int rank, std::uint64_t bytes) {
  return generator(mesh_all_to_all(
      call.ranks, rank, bytes,
      {.dimensions = 2, .whole_messages = call.whole_messages, .row = call.ranks_per_node}));
}

std::string objection_to_node_rows(const problem& call, const values&) {
  if (call.ranks_per_node > 1 && call.ranks_per_node < call.ranks) return {};
  return "mesh_nodes: ranks are not on several nodes with as many consecutive ones each";
}

void add_node_rows(registry& to) {
  const model::choice is{
      .name = "mesh_nodes",
      .parameters = {},
      .doc = "messages combined inside nodes, then among ranks of the same place on theirs",
      .source = "Kumar 2005, 3.1"};
  to.add({.of = kind::all_to_all,
          .is = is,
          .make = [](const problem& call, const values&,
                     int rank) { return from_a_copy(call, node_rows(call, rank, call.bytes)); },
          .objection = objection_to_node_rows});
  to.add({.of = kind::all_to_all_v,
          .is = is,
          .make =
              [](const problem& call, const values&, int rank) {
                return generator(mesh_all_to_all_v(call.ranks, rank,
                                                   {.dimensions = 2, .row = call.ranks_per_node}));
              },
          .objection = objection_to_node_rows,
          .priced_as = [](const problem& call, const values&,
                          int rank) { return node_rows(call, rank, call.bytes + length_bytes); }});
}

generator staged(const problem& call, int rank, direct_stages::partners order,
                 std::uint64_t ahead) {
  return from_a_copy(
      call, direct_exchange(call.ranks, rank, call.bytes,
                            {order, direct_stages::payload::own_for_each, static_cast<int>(ahead)},
                            false));
}

generator priced_bruck_v(const problem& call, int rank) {
  return generator(bruck_all_to_all(call.ranks, rank, call.bytes + length_bytes, 2));
}

void add_combining(registry& to) {
  to.add({.of = kind::all_to_all,
          .is = {.name = "bruck",
                 .parameters = bruck_parameters,
                 .doc = "blocks go their way digit by digit of its length, base k",
                 .source = "Bruck et al. 1997"},
          .make = [](const problem& call, const values& with, int rank) {
            return from_a_copy(
                call, bruck_all_to_all(call.ranks, rank, call.bytes, static_cast<int>(with[0])));
          }});
  to.add({.of = kind::all_to_all,
          .is = {.name = "hypercube",
                 .parameters = {},
                 .doc = "in each stage all that is for the other half of what is left",
                 .source = "Kumar 2005, 3.1.3"},
          .make = [](const problem& call, const values&, int rank) {
            return from_a_copy(call, hypercube_all_to_all(call.ranks, rank, call.bytes));
          }});
}

/// One partner a stage.
void add_staged(registry& to) {
  to.add({.of = kind::all_to_all,
          .is = {.name = "pairwise",
                 .parameters = {},
                 .doc = "each stage behind the one before: XOR on powers of two, else shifts",
                 .source = "Thakur, Rabenseifner and Gropp 2005"},
          .make = [](const problem& call, const values&, int rank) {
            const bool pairs = (call.ranks & (call.ranks - 1)) == 0;
            return staged(
                call, rank,
                pairs ? direct_stages::partners::paired : direct_stages::partners::shifted, 1);
          }});
  to.add({.of = kind::all_to_all,
          .is = {.name = "cyclic",
                 .parameters = staged_parameters,
                 .doc = "in stage i to the rank i further",
                 .source = "Kumar 2005, 4.2.2"},
          .make = [](const problem& call, const values& with, int rank) {
            return staged(call, rank, direct_stages::partners::shifted, with[0]);
          }});
  to.add({.of = kind::all_to_all,
          .is = {.name = "prefix_send",
                 .parameters = staged_parameters,
                 .requirements = model::needs_power_of_two,
                 .doc = "in stage i exchange with the rank that differs by XOR i",
                 .source = "Kumar 2005, 4.2.1"},
          .make = [](const problem& call, const values& with, int rank) {
            return staged(call, rank, direct_stages::partners::paired, with[0]);
          }});
}

/// The same, of different lengths, which both ends know.
void add_staged_v(registry& to) {
  to.add({.of = kind::all_to_all_v,
          .is = {.name = "cyclic",
                 .parameters = staged_parameters,
                 .doc = "in stage i to the rank i further",
                 .source = "Kumar 2005, 4.2.2"},
          .make =
              [](const problem& call, const values& with, int rank) {
                return staged_all_to_all_v(call.ranks, rank, false, static_cast<int>(with[0]));
              },
          .priced_as =
              [](const problem& call, const values& with, int rank) {
                return staged(call, rank, direct_stages::partners::shifted, with[0]);
              }});
  to.add({.of = kind::all_to_all_v,
          .is = {.name = "prefix_send",
                 .parameters = staged_parameters,
                 .requirements = model::needs_power_of_two,
                 .doc = "in stage i exchange with the rank that differs by XOR i",
                 .source = "Kumar 2005, 4.2.1"},
          .make =
              [](const problem& call, const values& with, int rank) {
                return staged_all_to_all_v(call.ranks, rank, true, static_cast<int>(with[0]));
              },
          .priced_as =
              [](const problem& call, const values& with, int rank) {
                return staged(call, rank, direct_stages::partners::paired, with[0]);
              }});
  to.add({.of = kind::all_to_all_v,
          .is = {.name = "bruck",
                 .parameters = {},
                 .doc = "blocks go their way bit by bit of its length, their lengths first",
                 .source = "Bruck et al. 1997; Fan et al. 2022"},
          .make = [](const problem& call, const values&,
                     int rank) { return bruck_all_to_all_v(call.ranks, rank); },
          .priced_as = [](const problem& call, const values&,
                          int rank) { return priced_bruck_v(call, rank); }});
}

}  // namespace

void add_exchanges(registry& to) {
  add_mesh(to, "direct", "each block in a message of its own", mesh_of<1>, mesh_v_of<1>,
           priced_mesh_v_of<1>);
  add_mesh(to, "mesh2d", "messages combined along rows, then columns", mesh_of<2>, mesh_v_of<2>,
           priced_mesh_v_of<2>);
  add_mesh(to, "mesh3d", "messages combined along the lines of a cube", mesh_of<3>, mesh_v_of<3>,
           priced_mesh_v_of<3>);
  to.add({.of = kind::all_to_all,
          .is = {.name = "mesh",
                 .parameters = mesh_parameters,
                 .doc = "messages combined along the lines of a grid",
                 .source = "Kumar 2005, 3.1"},
          .make = [](const problem& call, const values& with, int rank) {
            return from_a_copy(call, mesh_all_to_all(call.ranks, rank, call.bytes,
                                                     {.dimensions = static_cast<int>(with[0]),
                                                      .whole_messages = call.whole_messages}));
          }});
  to.add(
      {.of = kind::all_to_all_v,
       .is = {.name = "mesh",
              .parameters = mesh_parameters,
              .doc = "as for equal lengths; messages carry the lengths",
              .source = "Kumar 2005, 3.1"},
       .make =
           [](const problem& call, const values& with, int rank) {
             return generator(
                 mesh_all_to_all_v(call.ranks, rank, {.dimensions = static_cast<int>(with[0])}));
           },
       .priced_as = [](const problem& call, const values& with,
                       int rank) { return priced_mesh_v(call, rank, static_cast<int>(with[0])); }});
  add_node_rows(to);
  add_combining(to);
  add_staged(to);
  add_staged_v(to);
}

}  // namespace upwash::collective::detail
