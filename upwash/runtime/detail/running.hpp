// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What processes that host ranks have in common: their begin, their ranks, their end.
#pragma once

#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/world.hpp"
#include "upwash/core/job.hpp"
#include "upwash/runtime/detail/composition.hpp"

namespace upwash::runtime_detail {

/// What `body` returns. An error of it ends the job, in one line that names rank `failed` as it is
/// then (-1: none); where it does not end this process, its exit status is returned.
int reported(const composition& parts, const int& failed, function_ref<int()> body);

/// Reads the knobs, makes the world, and lets signals and checks tell of its ranks, which share the
/// variables of this process's executable, or do not. Throws `error`.
void begin_process(composition& made, bool sharing_variables);
/// All ranks have left their job.
void end_process(const composition& parts);

struct local_jobs {
  conduit::world& on;
  const job_options& options;
  function_ref<void(job&)> install;
  function_ref<const void*(int rank)> program;  ///< as job_options has it
};

/// Every local rank of the world, in a job of its own; `failed` becomes the first whose body threw.
void run_all(const local_jobs& what, function_ref<void(job&)> body, int& failed);

}  // namespace upwash::runtime_detail
