// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all_v.hpp"
#include "upwash/collective/algorithms/sparse_exchange.hpp"
#include "upwash/collective/detail/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter mesh_parameters[] = {
    {"dimensions", 1, 4, 3, "of the grid; 1: direct"},
};

/// A grid of a fixed number of dimensions, under the name that the literature has for it.
template <int Dimensions>
schedule::generator mesh_of(const problem& call, const values&, int rank) {
  return generator(mesh_all_to_all(call.ranks, rank, call.bytes, {Dimensions}));
}
template <int Dimensions>
schedule::generator mesh_v_of(const problem& call, const values&, int rank) {
  return generator(mesh_all_to_all_v(call.ranks, rank, {.dimensions = Dimensions}));
}

void add_mesh(registry& to, std::string_view name, std::string_view doc,
              decltype(algorithm::make) uniform, decltype(algorithm::make) uneven) {
  to.add({.of = kind::all_to_all,
          .is = {.name = name, .parameters = {}, .doc = doc, .source = "Kumar 2005, 3.1"},
          .make = uniform});
  to.add({.of = kind::all_to_all_v,
          .is = {.name = name, .parameters = {}, .doc = doc, .source = "Kumar 2005, 3.1"},
          .make = uneven});
}

}  // namespace

void add_exchanges(registry& to) {
  add_mesh(to, "direct", "each block in a message of its own", mesh_of<1>, mesh_v_of<1>);
  add_mesh(to, "mesh2d", "messages combined along rows, then columns", mesh_of<2>, mesh_v_of<2>);
  add_mesh(to, "mesh3d", "messages combined along the lines of a cube", mesh_of<3>, mesh_v_of<3>);
  to.add({.of = kind::all_to_all,
          .is = {.name = "mesh",
                 .parameters = mesh_parameters,
                 .doc = "messages combined along the lines of a grid",
                 .source = "Kumar 2005, 3.1"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(
                mesh_all_to_all(call.ranks, rank, call.bytes, {static_cast<int>(with[0])}));
          }});
  to.add({.of = kind::all_to_all_v,
          .is = {.name = "mesh",
                 .parameters = mesh_parameters,
                 .doc = "as for equal lengths; messages carry the lengths",
                 .source = "Kumar 2005, 3.1"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(
                mesh_all_to_all_v(call.ranks, rank, {.dimensions = static_cast<int>(with[0])}));
          }});
  to.add({.of = kind::many_to_many,
          .is = {.name = "sparse",
                 .parameters = {},
                 .doc = "acknowledged sends, then a barrier: nothing comes behind it",
                 .source = "Hoefler, Siebert and Lumsdaine 2010 (NBX)"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(sparse_exchange(call.ranks, rank));
          }});
}

}  // namespace upwash::collective::detail
