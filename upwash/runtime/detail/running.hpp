// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The common parts of processes that host ranks: their begin, their ranks, their end.
#pragma once

#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/world.hpp"
#include "upwash/core/job.hpp"
#include "upwash/runtime/detail/composition.hpp"

namespace upwash::runtime_detail {

/// Returns the result of `body`. An error of `body` ends the job with one line that names rank
/// `failed` as it is then (-1: none). If this does not end the process, the exit status of the
/// error is returned.
int reported(const composition& parts, const int& failed, function_ref<int()> body);

/// Reads the knobs, makes the world, and lets signals and checks report its ranks. The ranks share
/// the variables of this process's executable if `sharing_variables` is set. Throws `error`.
void begin_process(composition& made, bool sharing_variables);
/// Ends the process after all ranks have left their job.
void end_process(const composition& parts);

struct local_jobs {
  conduit::world& on;
  const job_options& options;
  function_ref<void(job&)> install;
  function_ref<const void*(int rank)> program;  ///< as in job_options
};

/// Runs every local rank of the world, in its own job. `failed` becomes the first rank whose body
/// threw.
void run_all(const local_jobs& what, function_ref<void(job&)> body, int& failed);

}  // namespace upwash::runtime_detail
