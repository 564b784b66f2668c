// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One started process of a job: its pid, its pipes, and how to end it with all it has started.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace upwash::launch::detail {

struct child {
  pid_t pid = -1;
  int pidfd = -1;         ///< -1 once reaped, or before Linux 5.3: then it is asked for again
  int standard_out = -1;  ///< our ends of the pipes, not blocking; -1 once closed
  int standard_error = -1;
  bool told_stopped = false;  ///< and not that it goes on
  bool reaped = false;
  int status = 0;                 ///< as of waitpid, when reaped, as is:
  std::uint64_t most_memory = 0;  ///< bytes that it held at most
};

/// What all processes of a job are started with.
struct start_plan {
  std::vector<char*> arguments;    ///< null at the end
  std::vector<char*> environment;  ///< null at the end; one place is filled for each process
  std::vector<int> inherited;      ///< descriptors, under the same numbers; -1: none
  /// Its standard input. -1: the first process has that of this one unless it is a terminal, the
  /// others have none.
  int standard_in = -1;
  int report = -1;                                ///< closed by exec; carries errno of a failed one
  const std::vector<cpu_set_t>* cores = nullptr;  ///< bind process i to core i modulo their number
};

/// How the programs of some children could be started.
class start_report {
 public:
  /// Throws `error` (system).
  start_report();
  ~start_report();
  start_report(const start_report&) = delete;
  start_report& operator=(const start_report&) = delete;

  /// For the start_plan.
  [[nodiscard]] int to_tell() const noexcept { return write_; }
  /// Waits until all have begun their programs; why the first of those that could not, or 0. Once.
  [[nodiscard]] int error_number() noexcept;

 private:
  int read_ = -1;
  int write_ = -1;
};

/// Forks and executes process `index` in a process group of its own. Throws `error` (system).
[[nodiscard]] child start_child(const start_plan& plan, int index);

/// Reaps the child when it has ended.
bool reap(child& one);

/// Kills every process group of `children` that may still live.
void kill_groups(const std::vector<child>& children);

/// Kills and reaps what the job's processes left to this process, their subreaper, until no
/// child of it is left that is not in `spared`.
void kill_orphans(const std::vector<pid_t>& spared);

/// The children that this process has.
[[nodiscard]] std::vector<pid_t> own_children();

/// This process's environment, but for what `added` ("NAME=value") has, which comes first.
[[nodiscard]] std::vector<std::string> environment_with(const std::vector<std::string>& added);

}  // namespace upwash::launch::detail
