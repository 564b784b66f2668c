// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The place where processes that share only a job's name find their control block: a named object
// in shared memory. It exists from the first arrival to the last, or to the failure of the start.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/identity.hpp"

namespace upwash::launch::detail {

/// A name in shared memory and its object.
class meeting_place {
 public:
  meeting_place(std::string name, std::uint64_t inode) : name_(std::move(name)), inode_(inode) {}

  /// Removes the name, unless it belongs to another job's object by now. Any process of the job may
  /// call it, also several: the last to arrive, or one that sees that the start has failed.
  void close() noexcept;

 private:
  std::string name_;  ///< empty once removed
  std::uint64_t inode_;
};

struct meeting {
  control_block block;
  meeting_place place;
};

/// Returns the control block of the job to which `self` belongs, created by the first process to
/// arrive. `ranks`: of the whole job. Waits at most `patience` for processes that are arriving.
/// Throws `error`; also if other users can open the object of that name.
[[nodiscard]] meeting meet(const identity& self, int ranks, duration patience);

/// Returns "/upwash-USER-JOB-HASH". JOB: the first 40 characters of the job's name, with _ in place
/// of all characters except letters, digits, dots and hyphens.
[[nodiscard]] std::string object_name(const identity& self);

}  // namespace upwash::launch::detail
