// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where processes that share only a job's name find their control block: a named object in
// shared memory that lives from the first arrival to the last, or to the failure of the start.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/identity.hpp"

namespace upwash::launch::detail {

/// A name in shared memory and the object that it stands for.
class meeting_place {
 public:
  meeting_place(std::string name, std::uint64_t inode) : name_(std::move(name)), inode_(inode) {}

  /// Takes the name away, unless it stands for another job's object by now. Any process of the
  /// job may, and several: whoever comes last, or sees that the start has failed.
  void close() noexcept;

 private:
  std::string name_;  ///< empty once taken away
  std::uint64_t inode_;
};

struct meeting {
  control_block block;
  meeting_place place;
};

/// The control block of the job `self` belongs to, created by the first process to come.
/// `ranks` of the whole job. Waits at most `patience` for processes that are just there. Throws
/// `error`; also where the name stands for something that others than this user can open.
[[nodiscard]] meeting meet(const identity& self, int ranks, duration patience);

/// "/upwash-USER-JOB-HASH": the first 40 characters of the job's name that a file may have.
[[nodiscard]] std::string object_name(const identity& self);

}  // namespace upwash::launch::detail
