// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/two_level.hpp"

#include <fmt/format.h>

#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {
namespace {

using model::values;
using schedule::generator;

constexpr model::parameter parameters[] = {
    {"groups", 0, most_ranks, 0, "so many; 0: the processes in which ranks take turns",
     model::trial::none},
};

two_level_call call_of(const problem& call, const values& with, int rank) {
  const int groups = with[0] == 0 ? call.processes : static_cast<int>(with[0]);
  return {call.ranks, rank, groups, call.bytes, call.in_place};
}

std::string no_groups(const problem& call, const values& with) {
  if (with[0] == 0 && call.processes == 0) {
    return "two_level: each rank has a process of its own; give the number of groups";
  }
  if (with[0] > static_cast<std::uint64_t>(call.ranks)) {
    return fmt::format("two_level: {} groups of {} ranks", with[0], call.ranks);
  }
  return {};
}

std::string no_room(const problem& call, const values& with) {
  std::string why = no_groups(call, with);
  if (!why.empty()) return why;
  const std::uint64_t wanted = two_level_bytes(call_of(call, with, 0));
  if (wanted <= call.shared_scratch) return {};
  return fmt::format("two_level: {} bytes are more than the {} of shared scratch", wanted,
                     call.shared_scratch);
}

}  // namespace

void add_two_level(registry& to) {
  to.add({.of = kind::barrier,
          .is = {.name = "two_level",
                 .parameters = parameters,
                 .doc = "members count up their group's counter, the groups' leaders look at all",
                 .source = "Nishtala et al. 2009, leverage shared memory"},
          .make = [](const problem& call, const values& with,
                     int rank) { return two_level_barrier(call_of(call, with, rank)); },
          .objection = no_groups});
  to.add(
      {.of = kind::all_reduce,
       .is = {.name = "two_level",
              .parameters = parameters,
              .requirements = model::needs_direct_access,
              .doc =
                  "each group's leader combines its vectors, then the leaders' in shared scratch",
              .source = "Nishtala et al. 2009, leverage shared memory"},
       .make = [](const problem& call, const values& with,
                  int rank) { return two_level_all_reduce(call_of(call, with, rank)); },
       .objection = no_room});
}

}  // namespace upwash::collective::detail
