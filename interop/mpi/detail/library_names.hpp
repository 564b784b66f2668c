// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions whose names differ between versions of the MPI library. The preload library may run
// with a later or earlier version than it was built with.
#pragma once

#include <string>
#include <string_view>

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

/// Returns the name and the version of the library that the preload library was built with.
[[nodiscard]] std::string built_with();

/// Returns the library's function PMPI_NAME, or PMPIX_NAME as Open MPI 4 calls persistent
/// collectives. Ends the process with one line where the library has neither.
[[nodiscard]] void* persistent_function(const char* name) noexcept;

/// The same with the function's type.
template <class Function>
[[nodiscard]] Function* persistent_function(const char* name) noexcept {
  return reinterpret_cast<Function*>(persistent_function(name));
}

/// Returns the name of the first function of messages that the library has and that this preload
/// library does not define, since it was built with an earlier version; empty without one.
[[nodiscard]] std::string_view unknown_message_function() noexcept;

}  // namespace upwash::mpi
