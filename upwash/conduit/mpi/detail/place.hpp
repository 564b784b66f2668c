// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From the surroundings to a place in a job of MPI.
#pragma once

#include <memory>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"

namespace upwash::conduit::mpi {

/// Chooses the library, loads its plugin and enters MPI. Collective over the processes that an MPI
/// launcher started. Throws `error`; after MPI has begun, an error ends the job at once instead.
[[nodiscard]] std::unique_ptr<bootstrap> make_place(const settings& values);

}  // namespace upwash::conduit::mpi
