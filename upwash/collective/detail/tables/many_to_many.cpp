// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many-to-many. What a rank sends and what it combines is known in a run only; prices are those of
// the uniform case, with the schedules that have the same messages.
#include <algorithm>

#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/all_to_alls.hpp"
#include "upwash/collective/algorithms/combining_exchange.hpp"
#include "upwash/collective/algorithms/mesh_all_gather.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/sparse_exchange.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr std::uint64_t word_bytes = 8;
constexpr std::uint64_t most_inline = 1U << 20U;
constexpr parameter inline_parameter{"inline", 64, most_inline, 4096,
                                     "bytes of a message that goes without asking for room"};
constexpr parameter combining_parameters[] = {inline_parameter};
constexpr parameter mesh_parameters[] = {
    {"dimensions", 1, 4, 3, "of the grid; 1: direct, with a message to every rank"},
    inline_parameter,
};

to_each payload_of(const problem& call) noexcept {
  return call.of == kind::many_to_many_multicast ? to_each::whole_input
                                                 : to_each::message_of_its_own;
}

int degree_of(const problem& call) noexcept {
  const int most = call.ranks - 1;
  return call.degree == 0 ? most : std::min(call.degree, most);
}

/// Of one pair in the exchange among all that has as much to carry: items as they travel, rounded
/// up.
std::uint64_t share_of_pair(const problem& call) noexcept {
  const std::uint64_t words = call.of == kind::many_to_many_multicast ? 3 : 2;
  const std::uint64_t item_bytes = call.bytes + words * word_bytes;
  const auto ranks = static_cast<std::uint64_t>(call.ranks);
  return (static_cast<std::uint64_t>(degree_of(call)) * item_bytes + ranks - 1) / ranks;
}

generator mesh(const problem& call, int rank, int dimensions, std::uint64_t inline_bytes) {
  return generator(mesh_many_to_many(call.ranks, rank, dimensions,
                                     {payload_of(call), static_cast<std::uint32_t>(inline_bytes)}));
}

generator mesh_price(const problem& call, int rank, int dimensions) {
  const std::uint64_t share = share_of_pair(call);
  if (call.of == kind::many_to_many_multicast) {
    return generator(mesh_all_gather(call.ranks, rank, share, dimensions, false));
  }
  return generator(mesh_all_to_all(call.ranks, rank, share, {dimensions}));
}

generator hypercube_price(const problem& call, const values&, int rank) {
  const std::uint64_t share = share_of_pair(call);
  if (call.of == kind::many_to_many_multicast) {
    return generator(hypercube_all_gather(call.ranks, rank, share, 0, false));
  }
  return generator(hypercube_all_to_all(call.ranks, rank, share));
}

template <int Dimensions>
void add_mesh(registry& to, kind of, std::string_view name, std::string_view doc) {
  to.add({.of = of,
          .is = {.name = name,
                 .parameters = combining_parameters,
                 .doc = doc,
                 .source = "Kumar 2005, 3.3.1"},
          .make = [](const problem& call, const values& with,
                     int rank) { return mesh(call, rank, Dimensions, with[0]); },
          .priced_as = [](const problem& call, const values&,
                          int rank) { return mesh_price(call, rank, Dimensions); }});
}

void add_combining(registry& to, kind of) {
  add_mesh<2>(to, of, "mesh2d", "items combined along rows, then columns");
  add_mesh<3>(to, of, "mesh3d", "items combined along the lines of a cube");
  to.add({.of = of,
          .is = {.name = "mesh",
                 .parameters = mesh_parameters,
                 .doc = "items combined along the lines of a grid",
                 .source = "Kumar 2005, 3.3.1"},
          .make = [](const problem& call, const values& with,
                     int rank) { return mesh(call, rank, static_cast<int>(with[0]), with[1]); },
          .priced_as = [](const problem& call, const values& with,
                          int rank) { return mesh_price(call, rank, static_cast<int>(with[0])); }});
  to.add({.of = of,
          .is = {.name = "hypercube",
                 .parameters = combining_parameters,
                 .doc = "items combined over each dimension of a cube",
                 .source = "Kumar 2005, 3.3.1"},
          .make =
              [](const problem& call, const values& with, int rank) {
                return generator(hypercube_many_to_many(
                    call.ranks, rank, {payload_of(call), static_cast<std::uint32_t>(with[0])}));
              },
          .priced_as = hypercube_price});
}

void add_separate(registry& to, kind of) {
  to.add(
      {.of = of,
       .is = {.name = "direct",
              .parameters = {},
              .doc = "each message of its own; a rank ends when all announced to it are there",
              .source = "Kumar 2005, 3.3.1"},
       .make =
           [](const problem& call, const values&, int rank) {
             const auto who = call.checked ? senders::checked : senders::known;
             return generator(sparse_exchange(call.ranks, rank, who, payload_of(call)));
           },
       .objection = [](const problem& call, const values&) -> std::string {
         return call.known_senders ? "" : "direct needs the sources of what comes (known_sources)";
       },
       .priced_as =
           [](const problem& call, const values&, int rank) {
             return generator(neighbor_send(call.ranks, rank, degree_of(call), call.bytes, false));
           }});
  to.add({.of = of,
          .is = {.name = "sparse",
                 .parameters = {},
                 .doc = "acknowledged sends, then a barrier: nothing comes behind it",
                 .source = "Hoefler, Siebert and Lumsdaine 2010 (NBX)"},
          .make =
              [](const problem& call, const values&, int rank) {
                return generator(
                    sparse_exchange(call.ranks, rank, senders::unknown, payload_of(call)));
              },
          .priced_as =
              [](const problem& call, const values&, int rank) {
                return generator(
                    neighbor_send(call.ranks, rank, degree_of(call), call.bytes, true));
              }});
}

}  // namespace

void add_many_to_many(registry& to) {
  for (const kind of : {kind::many_to_many, kind::many_to_many_multicast}) {
    add_separate(to, of);
    add_combining(to, of);
  }
}

}  // namespace upwash::collective::detail
