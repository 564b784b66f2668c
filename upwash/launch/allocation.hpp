// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The hosts that a batch system has given to this job.
#pragma once

#include <string_view>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch {

/// Runs a command on a host of a Slurm allocation, as the knob rsh does: host and command follow.
inline constexpr std::string_view slurm_rsh =
    "srun --overlap --nodes=1 --ntasks=1 --unbuffered --mpi=none --quiet --nodelist";

/// Of the Slurm job around this process: its nodes, with as many slots as tasks, else processors.
/// `variable`: an environment; null for what is not set. Throws `error` (environment) where there
/// is no such job, or its variables are not understood.
[[nodiscard]] std::vector<host_share> allocated_hosts(
    function_ref<const char*(const char* name)> variable);

}  // namespace upwash::launch
