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

/// Handles of upwash's own are numbers that are none of the MPI library's: its addresses are even,
/// and MPICH's numbers have no such kind. As they fit into an int, Fortran has the same.
inline constexpr std::uintptr_t own_handle_bits = 0x7e000001;
inline constexpr std::uintptr_t own_handle_mask = 0xfffffe;  ///< where the number is, twice
[[nodiscard]] inline bool is_own_handle(std::uintptr_t word) noexcept {
  return word >> 24U == own_handle_bits >> 24U && word % 2 == 1;
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
