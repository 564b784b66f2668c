// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cores from hwloc: hardware threads of one core belong together.
#include "upwash/launch/detail/cores.hpp"

#include <hwloc.h>
#include <hwloc/glibc-sched.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/base/group_limits.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch {
namespace detail {

std::vector<cpu_set_t> usable_core_sets() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw system_error("cannot ask for the topology", errno);
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> topology(
      raw, &hwloc_topology_destroy);
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING | HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
  if (hwloc_topology_load(raw) != 0) throw system_error("cannot read the topology", errno);
  std::vector<cpu_set_t> cores;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_CORE, core)) != nullptr;) {
    cpu_set_t set;
    hwloc_cpuset_to_glibc_sched_affinity(raw, core->cpuset, &set, sizeof set);
    cores.push_back(set);
  }
  return cores;
}

}  // namespace detail

int usable_cores() {
  const std::size_t cores = detail::usable_core_sets().size();
  return within_quota(std::max(1, static_cast<int>(cores)));
}

}  // namespace upwash::launch
