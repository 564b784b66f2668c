// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that are under way: nonblocking ones, and persistent ones that are started.
#pragma once

#include <memory>
#include <vector>

#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/own_request.hpp"
#include "interop/mpi/detail/traffic.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/request.hpp"
#include "upwash/matching/engines/node_pool.hpp"

namespace upwash::mpi {

struct persistent_call;

class open_calls;

/// Pooled; until it is complete and the program has no request.
struct open_call final : own_request {
  open_calls* in = nullptr;
  std::unique_ptr<traffic> all;
  upwash::request going;
  persistent_call* kept = nullptr;  ///< whose start it is: then traffic and request are its
  open_call* next_free = nullptr;

  void deliver() override;
  void let_go() override;
};

/// Of one rank.
class open_calls {
 public:
  explicit open_calls(request_book& requests) : requests_(requests) {}
  open_calls(const open_calls&) = delete;
  open_calls& operator=(const open_calls&) = delete;

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

  /// Gives the program a request for it.
  void add(function which, membership& on, std::unique_ptr<traffic> all, upwash::request going,
           MPI_Request* request);
  /// A start of a persistent one.
  void add(persistent_call& kept, upwash::request going);
  /// Tells those that are complete, without progress. O(calls under way), nonblocking. Returns how
  /// many it told.
  int collect() { return all_.empty() ? 0 : collect_some(); }
  /// Blocks until those on the communicator are complete, but for persistent ones, which may
  /// outlive it. Null: all.
  void finish(job& here, const membership* on);
  /// The one that `collect` or `finish` is at, for messages about what went wrong.
  [[nodiscard]] function at() const noexcept { return at_; }

 private:
  friend struct open_call;
  void begin(open_call& begun, upwash::request going);
  int collect_some();
  void tell(open_call& complete);

  request_book& requests_;
  matching::node_pool<open_call> pool_;
  std::vector<open_call*> all_;
  function at_{};
};

}  // namespace upwash::mpi
