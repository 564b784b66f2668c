// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/teams.hpp"

#include "interop/mpi/detail/session.hpp"

namespace upwash::mpi {

void give_team(function made_by, MPI_Comm comm) noexcept {
  session* own = session::current();
  if (own == nullptr) return;
  try {
    const session::inside here(*own);
    membership* of = own->communicators.find(comm);
    if (of == nullptr || of->refused == fate::several_jobs) return;
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    const bool near = kind != MPI_UNDEFINED && own->options().neighborhoods;
    if (of->refused == fate::taken || (near && of->refused == fate::one_member)) {
      own->communicators.make_ready(*of, near);
      of->has_messages = own->has_messages() && of->refused == fate::taken;
    }
  } catch (...) {
    own->fail(made_by);
  }
}

}  // namespace upwash::mpi
