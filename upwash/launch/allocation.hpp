// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The hosts that a batch system has allocated to this job.
#pragma once

#include <string_view>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch {

/// Runs a command on a host of a Slurm allocation, as the knob rsh does. Host and command follow.
inline constexpr std::string_view slurm_rsh =
    "srun --overlap --nodes=1 --ntasks=1 --unbuffered --mpi=none --quiet --nodelist";

/// Returns the nodes of the Slurm job around this process. Each has as many slots as tasks, or else
/// as processors. `variable` returns the value of an environment variable, null if not set. Throws
/// `error` (environment) without such a job, or if its variables are not understood.
[[nodiscard]] std::vector<host_share> allocated_hosts(
    function_ref<const char*(const char* name)> variable);

}  // namespace upwash::launch
