// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Persistent collectives and messages. To the program each is a persistent receive of the MPI
// library's, of nothing from the rank itself: a start starts it, and what completes it is a
// message. So what tests, waits for, or lists a request needs to know nothing of upwash; but starts
// and MPI_Request_free are looked at (requests.cpp).
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/kept_message.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/traffic.hpp"
#include "upwash/collective/persistent.hpp"

namespace upwash::mpi {

class persistent_calls;

struct persistent_call {
  persistent_calls& of;
  function which;
  std::unique_ptr<traffic> all{};                 ///< of a collective
  std::unique_ptr<kept_message> message{};        ///< else
  std::optional<collective::persistent> steps{};  ///< none: nothing goes, anywhere
  own_place* place = nullptr;                     ///< of the steps
  std::size_t number = 0;                         ///< the tag of its messages to the rank itself
  bool under_way = false;
  bool freed = false;  ///< the program has no request any more
};

/// Of one rank.
class persistent_calls {
 public:
  /// `own`: upwash's own communicator, which outlives it.
  explicit persistent_calls(MPI_Comm own);
  persistent_calls(const persistent_calls&) = delete;
  persistent_calls& operator=(const persistent_calls&) = delete;

  [[nodiscard]] bool empty() const noexcept { return by_request_.empty(); }
  /// Null for a request of another kind.
  [[nodiscard]] persistent_call* find(MPI_Request request) const;

  /// Whether any is a receive of a message; and the one that a request is of, or null.
  [[nodiscard]] bool has_receives() const noexcept { return receives_ != 0; }
  [[nodiscard]] kept_message* received(MPI_Request request) const;

  /// Gives the program a request for it, which is inactive. Throws `error` (system) where there are
  /// more than tags.
  void add(std::unique_ptr<persistent_call> made, MPI_Request* request);
  /// A start of which upwash's part is complete: delivers, and completes the request.
  void tell(persistent_call& complete);
  /// The program frees the request: what it has goes, if it is under way, with its end.
  void free(MPI_Request request);
  /// Before MPI_Finalize and the end of the job. None is under way.
  void end();

 private:
  void drop(std::size_t number);

  MPI_Comm own_;
  int rank_ = 0;
  std::size_t most_ = 0;
  std::vector<std::unique_ptr<persistent_call>> all_;
  std::size_t receives_ = 0;         ///< of messages, that have a request
  std::vector<std::size_t> unused_;  ///< numbers
  std::unordered_map<std::uintptr_t, persistent_call*> by_request_;
};

}  // namespace upwash::mpi
