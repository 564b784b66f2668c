// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements of a datatype in parts that functions with int counts can take: MPI_Pack has no larger
// ones before MPI 4.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "upwash/base/function_ref.hpp"

namespace upwash::mpi {

/// `count` elements from `address` on, `bytes` of them when packed. The type is committed.
struct element_part {
  std::byte* address = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::uint64_t bytes = 0;
};

/// Calls `visit` for parts of the elements, in the order in which MPI_Pack packs them. A part has
/// at most `max_bytes`: an element that is larger is taken apart by its constructors. One call a
/// part, which costs 0.1 to 0.5 us. Throws `error` (argument) for a larger element of a type that
/// has no constructor here (MPI_Type_create_darray).
void visit_parts(const element_part& all, std::uint64_t max_bytes,
                 function_ref<void(const element_part&)> visit);

}  // namespace upwash::mpi
