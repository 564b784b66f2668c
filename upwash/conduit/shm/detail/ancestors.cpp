// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/shm/detail/ancestors.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "upwash/base/process_facts.hpp"

namespace upwash::conduit::shm_detail {

int common_ancestor(std::span<const int> pids) {
  std::vector<int> line;  // of the first process, nearest first; what others do not have is cut off
  for (int pid = pids.empty() ? 0 : parent_of(pids.front()); pid > 0; pid = parent_of(pid)) {
    line.push_back(pid);
  }
  for (const int pid : pids) {
    auto met = line.end();
    for (int at = parent_of(pid); at > 0 && met == line.end(); at = parent_of(at)) {
      met = std::find(line.begin(), line.end(), at);
    }
    line.erase(line.begin(), met);
  }
  return line.empty() ? getppid() : line.front();
}

}  // namespace upwash::conduit::shm_detail
