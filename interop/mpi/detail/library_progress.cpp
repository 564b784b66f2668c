// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/library_progress.hpp"

#include <dlfcn.h>

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {
namespace {

/// What the library calls, and how often it has.
struct {
  int (*go_on)() = nullptr;
  unsigned long calls = 0;
} constinit joined;

int called_by_library() {
  ++joined.calls;
  return joined.go_on != nullptr ? joined.go_on() : 0;
}

#ifdef OPEN_MPI

/// Open MPI has a list of those who take part.
void stand_in_the_way() {
  using callback = int (*)();
  const auto add =
      reinterpret_cast<int (*)(callback)>(dlsym(RTLD_DEFAULT, "opal_progress_register"));
  if (add != nullptr) add(&called_by_library);
}

#else

/// MPICH asks UCX at each turn (below), if it was built with it.
void stand_in_the_way() {}

#endif

}  // namespace

bool join_library_progress(int (*go_on)()) {
  joined.go_on = go_on;
  stand_in_the_way();
  // Libraries that were built otherwise have other ways: what counts is whether they call. Looking
  // for messages to oneself makes no progress in MPICH.
  const unsigned long before = joined.calls;
  for (int i = 0; i < 64 && joined.calls == before; ++i) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  return joined.calls != before;
}

}  // namespace upwash::mpi

#ifndef OPEN_MPI

/// MPICH's own list of those who take part is not to be had from outside.
extern "C" unsigned ucp_worker_progress(void* worker) {
  using progress = unsigned (*)(void*);
  static const auto theirs = reinterpret_cast<progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned done = theirs(worker);
  return done + static_cast<unsigned>(upwash::mpi::called_by_library());
}

#endif
