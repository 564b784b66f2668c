// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <hwloc.h>

#include <cerrno>
#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/tuning/tuning_file.hpp"

namespace upwash::tuning {
namespace {

struct topology_deleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

std::string caches_of(hwloc_topology_t topology) {
  struct level {
    const char* name;
    hwloc_obj_type_t type;
  };
  std::string text;
  for (const auto& each : {level{"L1", HWLOC_OBJ_L1CACHE}, level{"L2", HWLOC_OBJ_L2CACHE},
                           level{"L3", HWLOC_OBJ_L3CACHE}}) {
    const hwloc_obj* cache = hwloc_get_obj_by_type(topology, each.type, 0);
    if (cache == nullptr) continue;
    text += fmt::format(", {} x {} {} KiB", hwloc_get_nbobjs_by_type(topology, each.type),
                        each.name, cache->attr->cache.size >> 10U);
  }
  return text;
}

}  // namespace

std::string machine_fingerprint() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw system_error("hwloc_topology_init", errno);
  const std::unique_ptr<hwloc_topology, topology_deleter> topology(raw);
  // Also the cores that this process may not use: ranks bound to a core must all see one machine.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) throw system_error("hwloc_topology_load", errno);
  hwloc_obj* package = hwloc_get_obj_by_type(raw, HWLOC_OBJ_PACKAGE, 0);
  const char* model =
      package != nullptr ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
  const auto count = [&](hwloc_obj_type_t type) { return hwloc_get_nbobjs_by_type(raw, type); };
  return fmt::format("{}, {} packages, {} cores, {} threads, {} memory nodes{}",
                     model != nullptr ? model : "unknown processor", count(HWLOC_OBJ_PACKAGE),
                     count(HWLOC_OBJ_CORE), count(HWLOC_OBJ_PU), count(HWLOC_OBJ_NUMANODE),
                     caches_of(raw));
}

}  // namespace upwash::tuning
