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

}  // namespace

void* world() noexcept { return communicator("ompi_mpi_comm_world", 0x44000000); }
void* none() noexcept { return communicator("ompi_mpi_comm_null", 0x04000000); }

int size_of(void* communicator) noexcept {
  using call = int (*)(void*, int*);
  // Communicators are pointers, or integers that travel in the same register.
  const auto asks = reinterpret_cast<call>(dlsym(RTLD_DEFAULT, "MPI_Comm_size"));
  int size = -1;
  return asks != nullptr && asks(communicator, &size) == 0 ? size : -1;
}

}  // namespace upwash::armci::mpi_beside
