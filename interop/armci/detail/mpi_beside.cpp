// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/armci/detail/mpi_beside.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace upwash::armci::mpi_beside {
namespace {

/// Open MPI has objects of these names, MPICH integers that never change.
void* communicator(const char* name, std::uintptr_t number) noexcept {
  if (void* object = dlsym(RTLD_DEFAULT, name)) return object;
  const bool has_mpi = dlsym(RTLD_DEFAULT, "MPI_Comm_size") != nullptr;
  return has_mpi ? reinterpret_cast<void*>(number) : nullptr;  // NOLINT: how it lies there
}

/// Calls a function of MPI's; false where there is none, or where it fails.
template <class... Arguments>
bool call(const char* name, Arguments... arguments) noexcept {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr && function(arguments...) == 0;
}

bool runs() noexcept {
  int begun = 0;
  int ended = 0;
  return call("MPI_Initialized", &begun) && call("MPI_Finalized", &ended) && begun != 0 &&
         ended == 0;
}

}  // namespace

void* world() noexcept { return communicator("ompi_mpi_comm_world", 0x44000000); }
void* none() noexcept { return communicator("ompi_mpi_comm_null", 0x04000000); }

// Handles are pointers, or integers that travel in the same registers and lie in the first bytes.
int size_of(void* communicator) noexcept {
  int size = -1;
  const bool told = call("MPI_Comm_size", communicator, &size);
  return told ? size : -1;
}

void* make(std::span<const int> ranks, int all) noexcept {
  void* everyone = nullptr;
  void* members = nullptr;
  void* made = none();
  if (!runs() || size_of(world()) != all) return made;
  if (!call("MPI_Comm_group", world(), &everyone)) return made;
  const int count = static_cast<int>(ranks.size());
  if (call("MPI_Group_incl", everyone, count, ranks.data(), &members)) {
    void* fresh = nullptr;
    if (call("MPI_Comm_create_group", world(), members, 0, &fresh)) made = fresh;
    call("MPI_Group_free", &members);
  }
  call("MPI_Group_free", &everyone);
  return made;
}

void free(void* communicator) noexcept {
  if (communicator != none() && communicator != world() && runs()) {
    call("MPI_Comm_free", &communicator);
  }
}

}  // namespace upwash::armci::mpi_beside
