// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A running job, seen from outside: what its ranks do, without stopping them. Its launcher's own
// memory is looked into, so it is open to the launcher's user alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::launch {

/// An `upwash run`, or on a host of several the part of it that is there.
struct running_job {
  int launcher = 0;  ///< pid
  int ranks = 0;
  std::string command;  ///< its command line
};

/// All that this user may look into, by pid. Reads /proc: O(processes and their descriptors).
[[nodiscard]] std::vector<running_job> running_jobs();

class job_view {
 public:
  /// Throws `error` (argument) where the process is no launcher of this version of upwash, is
  /// another user's, or has had another launcher start ranks on other hosts, which cannot be asked.
  explicit job_view(int launcher);
  ~job_view();
  job_view(const job_view&) = delete;
  job_view& operator=(const job_view&) = delete;

  [[nodiscard]] int ranks() const noexcept;
  /// Whether the launcher is still there.
  [[nodiscard]] bool runs() const;
  /// The process of a rank; 0: it has not come yet, or is on another host.
  [[nodiscard]] int process_of(int rank) const;
  /// The ranks that share that process.
  [[nodiscard]] int ranks_beside(int rank) const;

  /// Asks all ranks, and waits for their answers that long at most. Ranks answer in the library's
  /// waits; of the others the operating system tells whether they compute, sleep or are stopped.
  /// No rank stops. Blocking.
  [[nodiscard]] std::vector<observe::standing> ask(duration patience);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace upwash::launch
