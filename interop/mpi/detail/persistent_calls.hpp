// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Persistent collectives and messages.
#pragma once

#include <list>
#include <memory>
#include <optional>

#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/kept_message.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/own_request.hpp"
#include "interop/mpi/detail/traffic.hpp"
#include "upwash/collective/persistent.hpp"

namespace upwash::mpi {

class persistent_calls;

struct persistent_call final : own_request {
  persistent_call(persistent_calls& all_of, function called) : of(all_of) {
    which = called;
    is_complete = true;  // until it is started
    is_persistent = true;
  }

  persistent_calls& of;
  std::unique_ptr<traffic> all;                 ///< of a collective
  std::unique_ptr<kept_message> message;        ///< else
  std::optional<incoming> into;                 ///< of its last start, not delivered yet
  std::optional<collective::persistent> steps;  ///< none: nothing goes, anywhere
  own_place* place = nullptr;                   ///< of the steps
  bool owes = false;                            ///< the same of a collective
  std::list<std::unique_ptr<persistent_call>>::iterator at;  ///< among all

  void deliver() override;
  void cancel() override;
  /// Goes now, or with the end of what is under way.
  void let_go() override;
};

/// Of one rank.
class persistent_calls {
 public:
  explicit persistent_calls(request_book& requests) : requests_(requests) {}
  persistent_calls(const persistent_calls&) = delete;
  persistent_calls& operator=(const persistent_calls&) = delete;

  /// One that is not set up yet.
  [[nodiscard]] std::unique_ptr<persistent_call> make(function which) {
    return std::make_unique<persistent_call>(*this, which);
  }
  /// Gives the program a request for it, which is inactive.
  void add(std::unique_ptr<persistent_call> made, MPI_Request* request);
  /// A start is complete.
  void tell(persistent_call& complete);
  /// Before the end of the job. None is under way.
  void end() { all_.clear(); }

 private:
  friend struct persistent_call;
  void drop(persistent_call& going);

  request_book& requests_;
  std::list<std::unique_ptr<persistent_call>> all_;
};

}  // namespace upwash::mpi
