// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups by the numbers that ARMCI_Group carries. What is written of it lies in its first 32 bytes,
// which are all that it has in programs compiled with ARMCI-MPI over MPICH.
#pragma once

#include <cstdint>
#include <vector>

#include "interop/armci/include/armci.h"
#include "upwash/core/team.hpp"

namespace upwash::armci {

class group_book {
 public:
  static constexpr std::uint32_t world = 0;

  explicit group_book(const team& all);

  /// Writes the group of a team; no team: one that this rank is no member of. Collective over the
  /// team where the program uses MPI, which then has a communicator of the group.
  void enter(const team& made, ARMCI_Group& group);
  void write(std::uint32_t number, ARMCI_Group& group) const noexcept;

  /// Throws `refusal` for what is no group, or was freed, or (number, members) has this rank as no
  /// member.
  [[nodiscard]] bool is_member(const ARMCI_Group* group) const;
  [[nodiscard]] std::uint32_t number(const ARMCI_Group* group) const;
  [[nodiscard]] const team& members(const ARMCI_Group* group) const;
  [[nodiscard]] const team& members(std::uint32_t number) const { return teams_[number]; }
  /// Collective over the group. Nothing for the world.
  void remove(const ARMCI_Group* group);

  std::uint32_t standard = world;  ///< ARMCI_Group_set_default

 private:
  std::vector<team> teams_;           ///< no team: freed
  std::vector<void*> communicators_;  ///< MPI's, by the same numbers
};

}  // namespace upwash::armci
