// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions with MPI's names that are neither upwash's nor the MPI library's: a program's own
// wrappers of PMPI_ functions, and tools that are loaded after upwash. Libraries that are loaded
// before upwash are not looked at: they may call upwash's functions, or the MPI library's.
#pragma once

#include <array>
#include <string>

#include "interop/mpi/detail/counts.hpp"

namespace upwash::mpi {

struct other_definitions {
  /// By function: the program defines it, so calls do not reach upwash's.
  std::array<bool, number_of_functions> in_program{};
  /// A file that defines functions which upwash's hide, so that they are never called. Empty: none.
  std::string hidden_file;
  const char* hidden_function = "";  ///< the first of them
};

/// Asks the loader for each function. After the program has opened its MPI. About 1 ms.
[[nodiscard]] other_definitions find_other_definitions();

}  // namespace upwash::mpi
