// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI library's interface. Its variables are weak and its functions are found at their first
// call: the preload library gets into shells and scripts too, which have no MPI.
#pragma once

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstdint>
#include <type_traits>

#include <weak_names.hpp>  // generated

namespace upwash::mpi {

/// A handle as a number: of Open MPI an address, of MPICH an int.
template <class Handle>
[[nodiscard]] std::uintptr_t word_of(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

template <class Handle>
[[nodiscard]] Handle handle_of(std::uintptr_t word) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(word);
  } else {
    return static_cast<Handle>(word);
  }
}

#ifdef OPEN_MPI
inline constexpr const char* library_title = "Open MPI";
inline constexpr const char* library_file = "libmpi.so.40";
inline constexpr const char* other_launcher = "mpiexec.mpich";
#else
inline constexpr const char* library_title = "MPICH";
inline constexpr const char* library_file = "libmpich.so.12";
inline constexpr const char* other_launcher = "mpirun.openmpi";
#endif

}  // namespace upwash::mpi
