// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/library_names.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/session.hpp"

namespace upwash::mpi {

std::string built_with() {
#ifdef OPEN_MPI
  return fmt::format("{} {}.{}.{}", library_title, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                     OMPI_RELEASE_VERSION);
#else
  return fmt::format("{} {}", library_title, MPICH_VERSION);
#endif
}

void* persistent_function(const char* name) noexcept {
  for (const char* prefix : {"PMPI_", "PMPIX_"}) {
    if (void* found = dlsym(RTLD_DEFAULT, fmt::format("{}{}", prefix, name).c_str())) return found;
  }
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  say(
      fmt::format("rank {}: MPI_{}: this MPI library has no such function; the preload library was "
                  "built with {}: run it with that version, or build upwash with this one",
                  rank, name, built_with()));
  let_launcher_read();
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

std::string_view unknown_message_function() noexcept {
  for (const char* name : unknown_functions_of_messages) {
    if (dlsym(RTLD_DEFAULT, name) != nullptr) return std::string_view(name).substr(1);
  }
  return {};
}

}  // namespace upwash::mpi
