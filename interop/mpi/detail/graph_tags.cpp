// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/graph_tags.hpp"

#include "interop/mpi/detail/library_names.hpp"
#include "interop/mpi/detail/session.hpp"

namespace upwash::mpi {

#ifdef OPEN_MPI
namespace {

/// Tags go down from -27.
constexpr int tags_to_pass = 25;

/// A persistent collective takes its tag where it is made, without a message.
bool take_tag(MPI_Comm from) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  using barrier_init = int(MPI_Comm, MPI_Info, MPI_Request*);
  static const auto make = persistent_function<barrier_init>("Barrier_init");
  const int code = make(from, MPI_INFO_NULL, &request);
  return code == MPI_SUCCESS && PMPI_Request_free(&request) == MPI_SUCCESS;
}

}  // namespace
#endif

void pass_graph_tags([[maybe_unused]] MPI_Comm from) noexcept {
#ifdef OPEN_MPI
  if (session::current() == nullptr || from == MPI_COMM_NULL) return;
  for (int i = 0; i < tags_to_pass && take_tag(from); ++i) {
  }
#endif
}

}  // namespace upwash::mpi
