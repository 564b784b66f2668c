// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Starts a job by another launcher, as its one child.
#pragma once

#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/start_command.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch {

/// Starts a job as `launch` does, through the launcher whose command `by` makes. Output, prefix,
/// time-out, signals and exit status are as in `launch`. The launcher's comments on a failure are
/// shown only if no process of the job has stated a reason. Exceptions of `by` pass through. Throws
/// as `launch`, and `error` (argument) for a prefix that the launcher cannot give.
[[nodiscard]] int launch_through(
    function_ref<conduit::start_command(const conduit::start_request&)> by,
    const launch_options& options);

}  // namespace upwash::launch
