// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits and tests. The MPI library completes all requests, also those of upwash, which are its own;
// but messages are waited for in upwash first, and the library does not know what a persistent
// receive of upwash's has got (detail/persistent_calls.hpp).
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/session.hpp"

using namespace upwash::mpi;  // NOLINT: of this file alone

namespace {

/// What a call says of the requests that it has completed.
class completed {
 public:
  completed(function in, int code) : in_(in), code_(code), own_(session::current()) {
    passed(in);
    if (own_ != nullptr && !own_->persistent.has_receives()) own_ = nullptr;
  }

  [[nodiscard]] bool went_well() const noexcept { return code_ == MPI_SUCCESS; }
  /// Of one; `status` may be MPI_STATUS_IGNORE. `remains`: it is only looked at.
  void one(MPI_Request request, MPI_Status* status, bool remains = false) {
    const int code = tell(request, status, remains);
    if (code_ == MPI_SUCCESS) code_ = code;
  }
  /// Of several, the i-th is `request(i)`: the call's code is then MPI_ERR_IN_STATUS where one
  /// failed, and each status has its own.
  template <class Request>
  void some(int number, const Request& request, MPI_Status* statuses) {
    if (own_ == nullptr || (code_ != MPI_SUCCESS && code_ != MPI_ERR_IN_STATUS)) return;
    const bool told = statuses != MPI_STATUSES_IGNORE;
    for (int i = 0; i < number; ++i) {
      const int code = tell(request(i), told ? &statuses[i] : MPI_STATUS_IGNORE, false);
      if (code == MPI_SUCCESS) continue;
      for (int j = 0; told && code_ == MPI_SUCCESS && j < number; ++j) {
        statuses[j].MPI_ERROR = MPI_SUCCESS;
      }
      code_ = MPI_ERR_IN_STATUS;
      if (told) statuses[i].MPI_ERROR = code;
    }
  }
  /// The call's result, said to the program's error handler where it is ours.
  [[nodiscard]] int code() const {
    if (failed_on_ != MPI_COMM_NULL) PMPI_Comm_call_errhandler(failed_on_, code_);
    return code_;
  }

 private:
  int tell(MPI_Request request, MPI_Status* status, bool remains) {
    kept_message* message = own_ != nullptr ? own_->persistent.received(request) : nullptr;
    // One that is pending beside others that failed is not told of.
    if (message == nullptr || message->is_told || message->going != nullptr) return MPI_SUCCESS;
    message->is_told = !remains;
    fill(status, message->end);
    if (message->end.code != MPI_SUCCESS) failed_on_ = message->on->comm;
    return message->end.code;
  }

  function in_;
  int code_;
  session* own_;
  MPI_Comm failed_on_ = MPI_COMM_NULL;
};

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request given = request != nullptr ? *request : MPI_REQUEST_NULL;
  completed done(function::of_MPI_Wait, wait(request, status));
  done.one(given, status);
  return done.code();
}

int MPI_Waitall(int number, MPI_Request requests[], MPI_Status statuses[]) {
  completed done(function::of_MPI_Waitall, wait_all(number, requests, statuses));
  done.some(
      number, [&](int i) { return requests[i]; }, statuses);
  return done.code();
}

int MPI_Waitany(int number, MPI_Request requests[], int* index, MPI_Status* status) {
  completed done(function::of_MPI_Waitany, PMPI_Waitany(number, requests, index, status));
  if (done.went_well() && *index != MPI_UNDEFINED) done.one(requests[*index], status);
  return done.code();
}

int MPI_Waitsome(int number, MPI_Request requests[], int* complete, int indices[],
                 MPI_Status statuses[]) {
  completed done(function::of_MPI_Waitsome,
                 PMPI_Waitsome(number, requests, complete, indices, statuses));
  done.some(
      *complete, [&](int i) { return requests[indices[i]]; }, statuses);  // negative: none
  return done.code();
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  completed done(function::of_MPI_Test, PMPI_Test(request, flag, status));
  if (done.went_well() && *flag != 0) done.one(*request, status);
  return done.code();
}

int MPI_Testall(int number, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  completed done(function::of_MPI_Testall, PMPI_Testall(number, requests, flag, statuses));
  if (done.went_well() && *flag != 0) {
    done.some(
        number, [&](int i) { return requests[i]; }, statuses);
  }
  return done.code();
}

int MPI_Testany(int number, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  completed done(function::of_MPI_Testany, PMPI_Testany(number, requests, index, flag, status));
  if (done.went_well() && *flag != 0 && *index != MPI_UNDEFINED) done.one(requests[*index], status);
  return done.code();
}

int MPI_Testsome(int number, MPI_Request requests[], int* complete, int indices[],
                 MPI_Status statuses[]) {
  completed done(function::of_MPI_Testsome,
                 PMPI_Testsome(number, requests, complete, indices, statuses));
  done.some(
      *complete, [&](int i) { return requests[indices[i]]; }, statuses);  // negative: none
  return done.code();
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  completed done(function::of_MPI_Request_get_status,
                 PMPI_Request_get_status(request, flag, status));
  if (done.went_well() && *flag != 0) done.one(request, status, true);
  return done.code();
}

}  // extern "C"
