// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The requests of one call: upwash's own, which it completes itself, and the MPI library's, which
// get a list of their own where both are there. In it upwash's are null, so that places are equal.
#pragma once

#include <vector>

#include "interop/mpi/detail/own_request.hpp"
#include "interop/mpi/detail/session.hpp"

namespace upwash::mpi {

/// What a call returns, and whose error handler is told before.
struct told {
  int code = MPI_SUCCESS;
  MPI_Comm on = MPI_COMM_NULL;  ///< null: the library has told it

  [[nodiscard]] static told no_request() { return {MPI_ERR_REQUEST, MPI_COMM_WORLD}; }
  /// Outside upwash: handlers are the program's.
  [[nodiscard]] int returned() const {
    if (code != MPI_SUCCESS && on != MPI_COMM_NULL) PMPI_Comm_call_errhandler(on, code);
    return code;
  }
};

/// What a request says of nothing: null, or persistent and not started.
inline void fill_empty(MPI_Status* status) noexcept { fill(status, {}); }

/// Says its end, of one that is complete, and delivers.
[[nodiscard]] inline told say_end(own_request& of, MPI_Status* status) {
  if (!of.is_active) {
    fill_empty(status);
    return {};
  }
  of.deliver();
  fill(status, of.end);
  if (of.end.code == MPI_SUCCESS) return {};  // its communicator may be gone
  return {of.end.code, of.on != nullptr ? of.on->comm : MPI_COMM_WORLD};
}

/// The same, and takes the request from the program, or makes it inactive.
[[nodiscard]] inline told settle(own_request& of, MPI_Request* request, MPI_Status* status) {
  const told how = say_end(of, status);
  if (of.is_persistent) {
    of.is_active = false;
  } else {
    *request = MPI_REQUEST_NULL;
    of.let_go();
  }
  return how;
}

[[nodiscard]] inline bool is_ours(const session* own, const MPI_Request* request) noexcept {
  return own != nullptr && request != nullptr && is_own_handle(word_of(*request));
}

/// `what()` inside upwash; what it throws ends the job.
template <class What>
auto inside(session& own, function in, const What& what) noexcept {
  try {
    const session::inside here(own);
    return what();
  } catch (...) {
    own.fail(in);
  }
}

/// The same of `what(own_request&)`, which says how a call of one of upwash's requests ends.
template <class What>
int of_one(session& own, function in, MPI_Request request, const What& what) noexcept {
  const auto known = [&]() -> told {
    own_request* of = own.requests.find(request);
    return of != nullptr ? what(*of) : told::no_request();
  };
  return inside(own, in, known).returned();
}

/// All calls are made inside upwash, but for those that say otherwise.
class request_list {
 public:
  /// Whether upwash has any of them: else the library has the call. O(number), anywhere.
  [[nodiscard]] static bool has_ours(int number, const MPI_Request* requests) noexcept {
    for (int i = 0; i < number && requests != nullptr; ++i) {
      if (is_own_handle(word_of(requests[i]))) return true;
    }
    return false;
  }

  /// `statuses`: one for each, or MPI_STATUSES_IGNORE.
  request_list(session& own, int number, MPI_Request* requests, MPI_Status* statuses);

  /// One of them is no request any more: MPI_ERR_REQUEST.
  [[nodiscard]] bool is_wrong() const noexcept { return is_wrong_; }

  [[nodiscard]] bool has_library() const noexcept { return !library_.empty(); }
  /// Blocks until all of upwash's are complete.
  void await_ours();
  [[nodiscard]] bool ours_are_complete() const;
  /// The library's part of MPI_Waitall and of MPI_Testall; says whether it is complete. Not inside
  /// upwash, which goes on meanwhile.
  [[nodiscard]] bool complete_library(bool waits);
  /// All of the library's are complete. Blocks until upwash's are.
  [[nodiscard]] told settle_all();

  /// For calls of any one, and of some: whether there is one that `settle_any` or `settle_some` can
  /// take, or never will be one, since none is active. Asks the library. Nonblocking.
  [[nodiscard]] bool look(bool for_some);
  /// Blocks until `look`.
  void await_any(bool for_some);
  /// Behind `look`. `index`: MPI_UNDEFINED where none is active.
  [[nodiscard]] told settle_any(int* index, MPI_Status* status);
  /// The same of all that are complete: as many indices, and statuses.
  [[nodiscard]] told settle_some(int* number, int* indices);

 private:
  struct completed {
    int index;
    MPI_Status status;
  };

  [[nodiscard]] own_request* ours(int i) const { return own_.requests.find(requests_[i]); }
  [[nodiscard]] MPI_Status* status(int i) const noexcept {
    return statuses_ == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses_ + i;
  }
  [[nodiscard]] bool is_ready(int i) const {
    own_request* of = ours(i);
    return of != nullptr && of->is_active && of->is_over();
  }
  void ask_library(bool for_some);
  /// Of the i-th status, of a request that ended so.
  void note(int i, const told& how);
  [[nodiscard]] told result(int number) const;

  session& own_;
  int number_;
  MPI_Request* requests_;
  MPI_Status* statuses_;
  bool is_wrong_ = false;
  bool has_active_ = false;           ///< of upwash's
  std::vector<MPI_Request> library_;  ///< empty: all are upwash's, or null
  std::vector<MPI_Status> library_statuses_;
  int library_code_ = MPI_SUCCESS;
  bool library_has_active_ = false;
  std::vector<completed> found_;  ///< in the library, of calls for any or some
  std::vector<int> codes_;        ///< by status; empty: all went well
  MPI_Comm failed_on_ = MPI_COMM_NULL;
};

}  // namespace upwash::mpi
