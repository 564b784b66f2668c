// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine offers to a job: its topology and its limits. Sizes end in _bytes.
#pragma once

#include <nlohmann/json.hpp>

namespace upwash::tools {

/// Packages, cores, caches and memory as hwloc sees them, and the cores this process may use.
[[nodiscard]] nlohmann::ordered_json topology_facts();

/// Shared memory, locked memory, open files, reads across processes, huge pages.
[[nodiscard]] nlohmann::ordered_json limit_facts();

}  // namespace upwash::tools
