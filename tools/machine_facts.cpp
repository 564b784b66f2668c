// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/machine_facts.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/group_limits.hpp"

namespace upwash::tools {
namespace {

using json = nlohmann::ordered_json;

struct topology_deleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using topology_ptr = std::unique_ptr<hwloc_topology, topology_deleter>;

topology_ptr load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw system_error("hwloc_topology_init", errno);
  topology_ptr topology(raw);
  if (hwloc_topology_load(raw) != 0) throw system_error("hwloc_topology_load", errno);
  return topology;
}

int count_of(const topology_ptr& topology, hwloc_obj_type_t type) {
  return hwloc_get_nbobjs_by_type(topology.get(), type);
}

json cache_facts(const topology_ptr& topology) {
  struct level {
    const char* name;
    hwloc_obj_type_t type;
  };
  json caches = json::object();
  for (const auto& each : {level{"L1d", HWLOC_OBJ_L1CACHE}, level{"L2", HWLOC_OBJ_L2CACHE},
                           level{"L3", HWLOC_OBJ_L3CACHE}}) {
    const hwloc_obj* cache = hwloc_get_obj_by_type(topology.get(), each.type, 0);
    if (cache == nullptr) continue;
    caches[each.name] = {{"count", count_of(topology, each.type)},
                         {"size_bytes", cache->attr->cache.size}};
  }
  return caches;
}

/// The first line of a small system file; empty when there is none.
std::string first_line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "madvise" out of "always [madvise] never".
std::string chosen_of(const std::string& line) {
  const auto begin = line.find('[');
  const auto end = line.find(']');
  if (begin == std::string::npos || end == std::string::npos) return "unknown";
  return line.substr(begin + 1, end - begin - 1);
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 0;
  return CPU_COUNT(&set);
}

/// Processor time that the control group allows, in cores.
json quota_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0;
  double period = 0;
  if (file >> quota >> period && period > 0) return quota / period;
  return "unlimited";
}

json limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return nullptr;
  return limit.rlim_cur == RLIM_INFINITY ? json("unlimited") : json(limit.rlim_cur);
}

/// Whether a process may read one that it did not start, as ranks must: a child tries its parent.
bool reads_across_processes() {
  const std::uint64_t here = 42;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    std::uint64_t there = 0;
    const iovec to{&there, sizeof(there)};
    const iovec from{const_cast<std::uint64_t*>(&here), sizeof(here)};
    const bool read = process_vm_readv(parent, &to, 1, &from, 1, 0) == sizeof(here);
    _exit(read && there == here ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Memory that ranks share is limited as all memory is; UCX's queues are files in /dev/shm.
json shared_memory_facts() {
  struct statvfs shm {};
  const bool there = statvfs("/dev/shm", &shm) == 0;
  return {{"available_bytes", available_memory()},
          {"dev_shm_free_bytes", there ? json(shm.f_bavail * shm.f_frsize) : json(nullptr)}};
}

}  // namespace

json topology_facts() {
  const auto topology = load_topology();
  const hwloc_obj* root = hwloc_get_root_obj(topology.get());
  const hwloc_obj* package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
  const char* model =
      package ? hwloc_obj_get_info_by_name(const_cast<hwloc_obj*>(package), "CPUModel") : nullptr;
  json facts;
  facts["processor"] = model ? json(model) : json(nullptr);
  facts["packages"] = count_of(topology, HWLOC_OBJ_PACKAGE);
  facts["memory_nodes"] = count_of(topology, HWLOC_OBJ_NUMANODE);
  facts["cores"] = count_of(topology, HWLOC_OBJ_CORE);
  facts["hardware_threads"] = count_of(topology, HWLOC_OBJ_PU);
  facts["usable_cores"] = usable_cores();
  facts["quota_cores"] = quota_cores();
  facts["caches"] = cache_facts(topology);
  facts["memory_bytes"] = root->total_memory;
  return facts;
}

json limit_facts() {
  const std::string enabled = first_line_of("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::string shared = first_line_of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  json facts;
  facts["shared_memory"] = shared_memory_facts();
  facts["locked_memory_bytes"] = limit_of(RLIMIT_MEMLOCK);
  facts["open_files"] = limit_of(RLIMIT_NOFILE);
  facts["processes"] = limit_of(RLIMIT_NPROC);
  facts["process_vm_readv"] = reads_across_processes() ? "allowed" : "refused";
  facts["huge_pages"] = {{"private_memory", chosen_of(enabled)},
                         {"shared_memory", chosen_of(shared)}};
  return facts;
}

}  // namespace upwash::tools
