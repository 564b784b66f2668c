// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of ranks.
#include <armci.h>
#include <armcix.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "interop/armci/detail/guard.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

ARMCI_Group& checked(ARMCI_Group* group) {
  if (group == nullptr) throw refusal(code::address, "the group is a null pointer");
  return *group;
}

void check_members(std::span<const int> members, int size) {
  std::vector<int> sorted(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0 || sorted.back() >= size) {
    const int wrong = sorted.front() < 0 ? sorted.front() : sorted.back();
    throw refusal(code::rank, fmt::format("rank {}; the group that it is made of has ranks 0 to {}",
                                          wrong, size - 1));
  }
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw refusal(code::rank, fmt::format("rank {} stands twice among the members", *twice));
  }
}

/// Called by all of the parent, or by the members alone: the others have no part in it.
void create(session& own, std::uint32_t parent, int size, const int* list, ARMCI_Group* group) {
  ARMCI_Group& made = checked(group);
  if (size < 1) throw refusal(code::count, fmt::format("{} members; give 1 or more", size));
  if (list == nullptr) throw refusal(code::list, "no array of members");
  const upwash::team among = own.groups.members(parent);
  const std::span members(list, static_cast<std::size_t>(size));
  check_members(members, among.size());
  const bool mine = std::find(members.begin(), members.end(), among.rank()) != members.end();
  own.groups.enter(mine ? among.subset(members) : upwash::team(), made);
}

bool holds_memory(const session& own, std::uint32_t group) {
  return std::any_of(own.allocations.begin(), own.allocations.end(),
                     [&](const auto& each) { return each.second.group == group; });
}

}  // namespace

extern "C" {

void PARMCI_Group_create(int size, int* members, ARMCI_Group* group) {
  must("ARMCI_Group_create",
       [&](session& own) { create(own, own.groups.standard, size, members, group); });
}

void PARMCI_Group_create_child(int size, int* members, ARMCI_Group* group, ARMCI_Group* parent) {
  must("ARMCI_Group_create_child",
       [&](session& own) { create(own, own.groups.number(parent), size, members, group); });
}

void PARMCI_Group_free(ARMCI_Group* group) {
  must("ARMCI_Group_free", [&](session& own) {
    if (own.groups.is_member(group)) {
      const std::uint32_t going = own.groups.number(group);
      if (going != group_book::world && holds_memory(own, going)) {
        throw refusal(code::failed, "the group has memory; ARMCI_Free_group before");
      }
    }
    own.groups.remove(group);
  });
}

int PARMCI_Group_rank(ARMCI_Group* group, int* rank) {
  return answer("ARMCI_Group_rank", [&](session& own) {
    if (rank == nullptr) throw refusal(code::address, "no place for the rank");
    *rank = own.groups.is_member(group) ? own.groups.members(group).rank() : -1;
  });
}

void PARMCI_Group_size(ARMCI_Group* group, int* size) {
  must("ARMCI_Group_size", [&](session& own) {
    if (size == nullptr) throw refusal(code::address, "no place for the size");
    *size = own.groups.is_member(group) ? own.groups.members(group).size() : 0;
  });
}

void PARMCI_Group_set_default(ARMCI_Group* group) {
  must("ARMCI_Group_set_default",
       [&](session& own) { own.groups.standard = own.groups.number(group); });
}

void PARMCI_Group_get_default(ARMCI_Group* group) {
  must("ARMCI_Group_get_default",
       [&](session& own) { own.groups.write(own.groups.standard, checked(group)); });
}

void PARMCI_Group_get_world(ARMCI_Group* group) {
  must("ARMCI_Group_get_world",
       [&](session& own) { own.groups.write(group_book::world, checked(group)); });
}

int PARMCI_Absolute_id(ARMCI_Group* group, int rank) {
  return answer("ARMCI_Absolute_id", [&](session& own) {
    const upwash::team& members = own.groups.members(group);
    if (rank < 0 || rank >= members.size()) {
      throw refusal(code::rank,
                    fmt::format("rank {}; the group has ranks 0 to {}", rank, members.size() - 1));
    }
    return members.world_rank(rank);
  });
}

int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* group) {
  return answer("ARMCIX_Group_split", [&](session& own) {
    ARMCI_Group& made = checked(group);
    const upwash::team among = own.groups.members(parent);
    own.groups.enter(among.split(color, key), made);
  });
}

int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* group) {
  return answer("ARMCIX_Group_dup", [&](session& own) {
    ARMCI_Group& made = checked(group);
    const upwash::team among = own.groups.members(parent);
    own.groups.enter(among.duplicate(), made);
  });
}

}  // extern "C"

#pragma weak ARMCI_Group_create = PARMCI_Group_create
#pragma weak ARMCI_Group_create_child = PARMCI_Group_create_child
#pragma weak ARMCI_Group_free = PARMCI_Group_free
#pragma weak ARMCI_Group_rank = PARMCI_Group_rank
#pragma weak ARMCI_Group_size = PARMCI_Group_size
#pragma weak ARMCI_Group_set_default = PARMCI_Group_set_default
#pragma weak ARMCI_Group_get_default = PARMCI_Group_get_default
#pragma weak ARMCI_Group_get_world = PARMCI_Group_get_world
#pragma weak ARMCI_Absolute_id = PARMCI_Absolute_id
