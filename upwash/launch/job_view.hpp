// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A running job, seen from outside: the status of its ranks, without stopping them. Reads the
// memory of the job's launcher, so only the launcher's user may do it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::launch {

/// An `upwash run`, or this host's part of one over several hosts.
struct running_job {
  int launcher = 0;  ///< pid
  int ranks = 0;
  std::string command;  ///< its command line
};

/// Returns all jobs that this user may look into, by pid. Reads /proc: O(processes and their
/// descriptors).
[[nodiscard]] std::vector<running_job> running_jobs();

class job_view {
 public:
  /// Opens the job of a launcher. Throws `error` (argument) if the process is no launcher of this
  /// version of upwash, belongs to another user, or has had another launcher start ranks on other
  /// hosts, which cannot be asked.
  explicit job_view(int launcher);
  ~job_view();
  job_view(const job_view&) = delete;
  job_view& operator=(const job_view&) = delete;

  [[nodiscard]] int ranks() const noexcept;
  /// Returns whether the launcher still exists.
  [[nodiscard]] bool runs() const;
  /// Returns the process of a rank; 0 if it has not connected yet or is on another host.
  [[nodiscard]] int process_of(int rank) const;
  /// Returns the number of ranks in the process of `rank`, including `rank`.
  [[nodiscard]] int ranks_beside(int rank) const;

  /// Asks all ranks, and waits at most `patience` for their answers. Ranks answer in the library's
  /// waits. For the other ranks the operating system reports whether they compute, sleep or are
  /// stopped. No rank is stopped. Blocking.
  [[nodiscard]] std::vector<observe::standing> ask(duration patience);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace upwash::launch
