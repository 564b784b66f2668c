// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program's call that a rank waits in, for the report of a job that hangs.
#pragma once

#include <string>

#include "upwash/core/service.hpp"

namespace upwash::mpi {

/// Of one rank. Costs nothing until a report is written.
class program_call final : public service_base {
 public:
  explicit program_call(job& /*here*/) {}
  /// "MPI_Recv called by main at program.c:12", of the calling thread; the line if the program has
  /// debug information. Starts addr2line. Empty outside MPI's functions.
  [[nodiscard]] std::string describe_pending() const override;
};

}  // namespace upwash::mpi
