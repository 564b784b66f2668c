// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Only packages are asked for: a full topology takes ten times as long.
#include "upwash/conduit/shm/detail/packages.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "upwash/base/log.hpp"

namespace upwash::conduit::shm_detail {
namespace {

using topology_owner = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

topology_owner load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {nullptr, &hwloc_topology_destroy};
  topology_owner topology(raw, &hwloc_topology_destroy);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) topology.reset();
  return topology;
}

std::vector<processor_set> packages(hwloc_topology_t topology) {
  std::vector<processor_set> sets;
  for (hwloc_obj_t one = nullptr;
       (one = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, one)) != nullptr;) {
    processor_set bits{};
    for (std::size_t word = 0; word < bits.size(); ++word) {
      bits[word] = hwloc_bitmap_to_ith_ulong(one->cpuset, static_cast<unsigned>(word));
    }
    sets.push_back(bits);
  }
  return sets;
}

bool within(const processor_set& some, const processor_set& all) {
  for (std::size_t word = 0; word < some.size(); ++word) {
    if ((some[word] & ~all[word]) != 0) return false;
  }
  return true;
}

}  // namespace

std::vector<std::uint16_t> packages_of(const std::vector<processor_set>& processes) {
  std::vector<std::uint16_t> result(processes.size(), 0);
  const topology_owner topology = load();
  if (topology == nullptr) {
    log(log_level::warning, "shm", "the topology cannot be read; taken as one socket");
    return result;
  }
  const auto sets = packages(topology.get());
  if (sets.size() < 2) return result;
  std::vector<std::size_t> numbers;  // packages in the order of their first process
  for (std::size_t p = 0; p < processes.size(); ++p) {
    std::size_t package = p * sets.size() / processes.size();
    for (std::size_t s = 0; s < sets.size(); ++s) {
      if (within(processes[p], sets[s])) package = s;
    }
    const auto known = std::find(numbers.begin(), numbers.end(), package);
    result[p] = static_cast<std::uint16_t>(known - numbers.begin());
    if (known == numbers.end()) numbers.push_back(package);
  }
  return result;
}

}  // namespace upwash::conduit::shm_detail
