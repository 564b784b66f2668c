// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One started process of a job: its pid, its pipes, and the means to end it with all its
// descendants.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace upwash::launch::detail {

struct child {
  pid_t pid = -1;
  int pidfd = -1;         ///< -1 once reaped, or before Linux 5.3: then requested again
  int standard_out = -1;  ///< this side of the pipes, not blocking; -1 once closed
  int standard_error = -1;
  bool told_stopped = false;  ///< reported as stopped, and not as continued
  bool reaped = false;
  int status = 0;                 ///< as from waitpid, valid when reaped, as is:
  std::uint64_t most_memory = 0;  ///< maximum of held bytes
};

/// The common start parameters of all processes of a job.
struct start_plan {
  std::vector<char*> arguments;    ///< null at the end
  std::vector<char*> environment;  ///< null at the end; one slot is filled for each process
  std::vector<int> inherited;      ///< descriptors, under the same numbers; -1: none
  /// Standard input of the processes. -1: the first process has that of this process unless it is a
  /// terminal, the others have none.
  int standard_in = -1;
  int report = -1;                                ///< carries errno if exec fails; exec closes it
  const std::vector<cpu_set_t>* cores = nullptr;  ///< bind process i to core i modulo their number
};

/// The results of starting the programs of some children.
class start_report {
 public:
  /// Throws `error` (system).
  start_report();
  ~start_report();
  start_report(const start_report&) = delete;
  start_report& operator=(const start_report&) = delete;

  /// Returns the descriptor for the start_plan.
  [[nodiscard]] int to_tell() const noexcept { return write_; }
  /// Waits until all children have begun their programs. Returns the errno of the first that could
  /// not, or 0. Called once.
  [[nodiscard]] int error_number() noexcept;

 private:
  int read_ = -1;
  int write_ = -1;
};

/// Forks and executes process `index` in its own process group. Throws `error` (system).
[[nodiscard]] child start_child(const start_plan& plan, int index);

/// Reaps the child if it has ended.
bool reap(child& one);

/// Kills every process group of `children` that may still live.
void kill_groups(const std::vector<child>& children);

/// Kills and reaps the processes that the job's processes left to this process, their subreaper,
/// until its only children are those in `spared`.
void kill_orphans(const std::vector<pid_t>& spared);

/// Returns the children of this process.
[[nodiscard]] std::vector<pid_t> own_children();

/// Returns this process's environment with `added` ("NAME=value"), which comes first and takes
/// precedence.
[[nodiscard]] std::vector<std::string> environment_with(const std::vector<std::string>& added);

}  // namespace upwash::launch::detail
