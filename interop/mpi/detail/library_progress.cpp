// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/library_progress.hpp"

#include <dlfcn.h>

#include <atomic>

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {
namespace {

/// What the library calls, from any of its threads, and whether it has. It is asked at every turn
/// of its progress, so nothing is written there again and again.
struct {
  std::atomic<int (*)()> go_on{nullptr};
  std::atomic<bool> called{false};
} constinit joined;

int called_by_library() {
  const auto go_on = joined.go_on.load(std::memory_order_acquire);
  if (go_on == nullptr) return 0;
  if (!joined.called.load(std::memory_order_relaxed)) {
    joined.called.store(true, std::memory_order_relaxed);
  }
  return go_on();
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
  joined.go_on.store(go_on, std::memory_order_release);
  stand_in_the_way();
  // Libraries that were built otherwise have other ways: what counts is whether they call. Looking
  // for messages to oneself makes no progress in MPICH.
  for (int i = 0; i < 64 && !joined.called.load(std::memory_order_relaxed); ++i) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  return joined.called.load(std::memory_order_relaxed);
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
