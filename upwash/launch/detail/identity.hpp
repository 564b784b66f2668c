// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// This process's place in its job according to an external launcher's environment.
#pragma once

#include <optional>
#include <string>

#include "upwash/base/knobs.hpp"

namespace upwash::launch::detail {

struct identity {
  int process = 0;
  int processes = 1;
  std::string job;       ///< the same in all processes of the job, and in no other job
  std::string launcher;  ///< for messages
  /// The reason why this does not fit a job that must be on one node; empty: it fits.
  std::string several_nodes;
};

/// Reads the knobs rank, size and job_id, else the variables of Open MPI, PMI (MPICH, Intel MPI,
/// Slurm) and Slurm. Empty: no launcher. Throws `error` (environment) for values that contradict
/// each other.
[[nodiscard]] std::optional<identity> find_identity(const settings& values);

/// Reads the launchers' variables only, before there are settings. Otherwise as above.
[[nodiscard]] std::optional<identity> find_foreign_identity();

}  // namespace upwash::launch::detail
