// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators on MPI's predefined types: MPI's predefined ones, and those of the program.
#pragma once

#include <optional>

#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/types.hpp"
#include "upwash/collective/binding.hpp"

namespace upwash::mpi {

enum class operation : std::uint8_t {
  max,
  min,
  sum,
  prod,
  land,
  band,
  lor,
  bor,
  lxor,
  bxor,
  maxloc,
  minloc,
};
inline constexpr int number_of_operations = 12;

/// Nothing for an operator of the program's, and for those of one-sided calls.
[[nodiscard]] std::optional<operation> predefined(MPI_Op op) noexcept;

/// Its elements are as they travel: of pairs without what is between value and place. Without
/// `apply` where MPI does not define the operator on the type.
[[nodiscard]] collective::reduction reduction_of(operation op, element of) noexcept;

/// Whether it is an operator of the program's.
[[nodiscard]] bool is_of_program(MPI_Op op) noexcept;

/// An operator of the program's on elements that lie in memory as they travel. It is called by
/// whoever waits in the call, by way of MPI_Reduce_local; for blocking calls of programs with one
/// thread, since a nonblocking one may outlive the operator.
[[nodiscard]] collective::reduction reduction_of_program(MPI_Op op, MPI_Datatype type,
                                                         const type_facts& facts) noexcept;

}  // namespace upwash::mpi
