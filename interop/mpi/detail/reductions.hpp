// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI's predefined operators on MPI's predefined types.
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

/// Nothing for an operator of the program's.
[[nodiscard]] std::optional<operation> predefined(MPI_Op op) noexcept;

/// Its elements are as they travel: of pairs without what is between value and place. Without
/// `apply` where MPI does not define the operator on the type.
[[nodiscard]] collective::reduction reduction_of(operation op, element of) noexcept;

}  // namespace upwash::mpi
