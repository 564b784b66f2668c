// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that are under way: nonblocking ones, and persistent ones that are started. To the program
// each is a request of the MPI library's: what tests, waits for, or hands on a request needs to
// know nothing of upwash.
#pragma once

#include <memory>
#include <vector>

#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/traffic.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/request.hpp"

namespace upwash::mpi {

struct persistent_call;

struct open_call {
  function which;
  membership* on = nullptr;  ///< of a nonblocking one
  std::unique_ptr<traffic> all;
  upwash::request going;
  MPI_Request told = MPI_REQUEST_NULL;  ///< that the program has, too
  persistent_call* kept = nullptr;      ///< then traffic and request are its
};

/// Of one rank.
class open_calls {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

  /// Gives the program a request for it.
  void add(open_call begun, MPI_Request* request);
  /// A start of a persistent one, whose request is active.
  void add(persistent_call& kept, upwash::request going);
  /// Makes progress once, and tells requests that are complete. O(calls under way), nonblocking.
  /// Returns how many it told.
  int advance(job& here);
  /// Blocks until those on the communicator are complete, but for persistent ones, which may
  /// outlive it, and tells their requests. Null: all.
  void finish(const membership* on);
  /// The one that `advance` or `finish` is at, for messages about what went wrong.
  [[nodiscard]] function at() const noexcept { return at_; }

 private:
  void add(open_call begun);
  void tell(open_call& complete);

  std::vector<open_call> all_;
  function at_{};
};

}  // namespace upwash::mpi
