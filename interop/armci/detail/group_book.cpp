// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/armci/detail/group_book.hpp"

#include <cstddef>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/mpi_beside.hpp"

namespace upwash::armci {
namespace {

constexpr unsigned long mark = 0x61726d63UL << 32U;
constexpr unsigned long mark_bits = 0xffffffffUL << 32U;
constexpr std::uint32_t of_others = 0xffffffff;

}  // namespace

group_book::group_book(const team& all) : teams_{all}, communicators_{nullptr} {}

void group_book::write(std::uint32_t number, ARMCI_Group& group) const noexcept {
  // Programs compiled with ARMCI-MPI look for MPI's communicator there.
  group.communicator = number == world       ? mpi_beside::world()
                       : number == of_others ? mpi_beside::none()
                                             : communicators_[number];
  group.id = mark | number;
}

void group_book::enter(const team& made, ARMCI_Group& group) {
  if (!made) return write(of_others, group);
  std::vector<int> ranks;
  for (int i = 0; i < made.size(); ++i) ranks.push_back(made.world_rank(i));
  teams_.push_back(made);
  communicators_.push_back(mpi_beside::make(ranks, teams_.front().size()));
  write(static_cast<std::uint32_t>(teams_.size() - 1), group);
}

bool group_book::is_member(const ARMCI_Group* group) const {
  if (group == nullptr) throw refusal(code::address, "the group is a null pointer");
  const auto number = static_cast<std::uint32_t>(group->id & ~mark_bits);
  const bool known = (group->id & mark_bits) == mark &&
                     (number == of_others || (number < teams_.size() && teams_[number]));
  if (!known) {
    throw refusal(code::failed, "no group, or one that was freed; ARMCI_Group_create makes one");
  }
  return number != of_others;
}

std::uint32_t group_book::number(const ARMCI_Group* group) const {
  if (!is_member(group)) {
    throw refusal(code::rank, "this rank is no member of the group; its members alone call this");
  }
  return static_cast<std::uint32_t>(group->id & ~mark_bits);
}

const team& group_book::members(const ARMCI_Group* group) const { return teams_[number(group)]; }

void group_book::remove(const ARMCI_Group* group) {
  if (!is_member(group)) return;
  const std::uint32_t going = number(group);
  if (going == world) return;
  mpi_beside::free(communicators_[going]);
  teams_[going].release();
  teams_[going] = team();
  if (standard == going) standard = world;
}

}  // namespace upwash::armci
