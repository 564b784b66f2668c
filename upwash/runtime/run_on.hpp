// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs on worlds that the caller makes: tests, tools, programs within programs.
#pragma once

#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/world.hpp"
#include "upwash/core/job.hpp"

namespace upwash {

/// Runs `rank_main` on every local rank of a world that the caller made. Several jobs, on different
/// conduits, may live in one process. Blocking. Rethrows the first error of a rank.
void run_on(conduit::world& on, const job_options& options, function_ref<void(job&)> rank_main);

}  // namespace upwash
