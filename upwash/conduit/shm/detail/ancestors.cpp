// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parents, from /proc/PID/stat.
#include "upwash/conduit/shm/detail/ancestors.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace upwash::conduit::shm_detail {
namespace {

/// 0 where there is none, or none to be seen.
int parent_of(int pid) {
  std::ifstream from("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(from, line);
  const auto behind = line.rfind(')');  // of the command, which may hold anything
  if (behind == std::string::npos) return 0;
  std::istringstream rest(line.substr(behind + 1));
  std::string state;
  int parent = 0;
  rest >> state >> parent;
  return parent;
}

}  // namespace

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
