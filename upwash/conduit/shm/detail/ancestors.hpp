// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who started the processes of a job.
#pragma once

#include <span>

namespace upwash::conduit::shm_detail {

/// The nearest process from which all of them descend; the parent of this one where /proc does not
/// tell. Reads a file for each process on the way.
[[nodiscard]] int common_ancestor(std::span<const int> pids);

}  // namespace upwash::conduit::shm_detail
