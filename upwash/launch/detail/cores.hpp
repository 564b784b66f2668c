// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cores that this process may use, for binding.
#pragma once

#include <sched.h>

#include <vector>

namespace upwash::launch::detail {

/// Returns one set of processors for each usable core, in the machine's order. Throws `error`
/// (system).
[[nodiscard]] std::vector<cpu_set_t> usable_core_sets();

}  // namespace upwash::launch::detail
