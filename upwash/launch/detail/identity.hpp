// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a foreign launcher's environment says about this process's place in its job.
#pragma once

#include <optional>
#include <string>

#include "upwash/base/knobs.hpp"

namespace upwash::launch::detail {

struct identity {
  int process = 0;
  int processes = 1;
  std::string job;       ///< the same in all processes of the job, and in no other job's
  std::string launcher;  ///< for messages
  /// What is wrong with it for a job that must be on one node; empty: nothing.
  std::string several_nodes;
};

/// Reads the knobs rank, size and job_id, else the variables of Open MPI, PMI (MPICH, Intel MPI,
/// Slurm) and Slurm. Empty: no launcher. Throws `error` (environment) for values that contradict
/// each other.
[[nodiscard]] std::optional<identity> find_identity(const settings& values);

/// The same of the launchers' variables alone, before there are settings.
[[nodiscard]] std::optional<identity> find_foreign_identity();

}  // namespace upwash::launch::detail
