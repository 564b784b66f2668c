// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where processes that share only a job's name find their control block: a named object in
// shared memory that lives from the first arrival to the last, and no longer.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/identity.hpp"

namespace upwash::launch::detail {

/// The control block of the job `self` belongs to, created by the first process to come.
/// Throws `error`.
[[nodiscard]] control_block meet(const identity& self, int ranks_per_process);

/// Takes the name away once all processes have come; called by each after it has attached.
void leave_name(const identity& self, const control_block& block);

}  // namespace upwash::launch::detail
