// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes that a test starts itself, and the knobs that launchers would give them.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/launch/knobs.hpp"

namespace upwash::launch {

inline settings defaults() {
  knob_table table;
  launch_knobs(table);
  return settings::defaults(table);
}

inline settings member(int rank, int size, const std::string& job, const char* timeout = "20s") {
  settings values = defaults();
  values.set("rank", std::to_string(rank));
  values.set("size", std::to_string(size));
  values.set("job_id", job);
  values.set("start_timeout", timeout);
  return values;
}

inline std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const error& problem) {
    EXPECT_EQ(problem.kind(), error_kind::environment);
    return problem.what();
  }
  return {};
}

/// Runs `body(rank)` in `count` child processes; their exit statuses (128 + signal when killed).
inline std::vector<int> in_processes(int count, const std::function<int(int)>& body) {
  std::vector<pid_t> pids;
  for (int rank = 0; rank < count; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) {
      int status = 99;
      try {
        status = body(rank);
      } catch (const std::exception& problem) {
        std::fprintf(stderr, "rank %d: %s\n", rank, problem.what());
      }
      _exit(status);
    }
    pids.push_back(pid);
  }
  std::vector<int> statuses;
  for (const pid_t pid : pids) {
    int status = 0;
    waitpid(pid, &status, 0);
    statuses.push_back(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
  return statuses;
}

}  // namespace upwash::launch
