// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A fault of Open MPI 4 and 5.0: MPI_Dist_graph_create receives edges from any rank with tags -50
// and -51 of the communicator that it is called on, which are also those of its 24th and 25th
// nonblocking collective. A rank that is done with the edges is in these, where the new
// communicator's number is agreed upon: a slower one takes its message for an edge, and none of
// them ever ends. Which collective is the 25th depends on who else makes some: upwash.
#pragma once

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

/// Before MPI_Dist_graph_create on the communicator: from now on nonblocking collectives of the
/// library have other tags than edges. All members call it. Local: 25 calls of a microsecond.
/// Nothing with MPICH, and where nothing is taken over.
void pass_graph_tags(MPI_Comm from) noexcept;

}  // namespace upwash::mpi
