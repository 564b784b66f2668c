// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Starts and ends of requests: of persistent collectives that upwash has, both are more than the
// MPI library knows (detail/persistent_calls.hpp).
#include <span>

#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/session.hpp"
#include "interop/mpi/detail/take.hpp"

using namespace upwash::mpi;  // NOLINT: of this file alone

namespace {

/// Behind the library's start of them, which said `code`; returns it.
int start_ours(function in, int code, std::span<const MPI_Request> requests) {
  session* own = session::current();
  bool any = false;
  if (code == MPI_SUCCESS && own != nullptr && !own->persistent.empty()) {
    try {
      const session::inside here(*own);
      for (const MPI_Request each : requests) any = start_if_ours(*own, each) || any;
    } catch (...) {
      own->fail(in);
    }
  }
  count(in, any ? fate::taken : fate::not_ours);
  return code;
}

}  // namespace

extern "C" {

/// Of the library's receive that stands for one of upwash's the library would cancel nothing else.
int MPI_Cancel(MPI_Request* request) {
  passed(function::of_MPI_Cancel);
  session* own = session::current();
  const bool kept = own != nullptr && request != nullptr && !own->persistent.empty() &&
                    own->persistent.find(*request) != nullptr;
  if (!kept) return PMPI_Cancel(request);
  try {
    const session::inside here(*own);
    const kept_message* message = own->persistent.received(*request);
    if (message != nullptr && message->going != nullptr) open_messages::cancel(*message->going);
  } catch (...) {
    own->fail(function::of_MPI_Cancel);
  }
  return MPI_SUCCESS;
}

int MPI_Start(MPI_Request* request) {
  const int code = PMPI_Start(request);
  return start_ours(function::of_MPI_Start, code, {request, 1});
}

int MPI_Startall(int number, MPI_Request requests[]) {
  const int code = PMPI_Startall(number, requests);
  const auto all = static_cast<std::size_t>(number > 0 ? number : 0);
  return start_ours(function::of_MPI_Startall, code, {requests, all});
}

int MPI_Request_free(MPI_Request* request) {
  passed(function::of_MPI_Request_free);
  const MPI_Request given = request != nullptr ? *request : MPI_REQUEST_NULL;
  const int code = PMPI_Request_free(request);
  session* own = session::current();
  if (code != MPI_SUCCESS || own == nullptr || own->persistent.empty()) return code;
  try {
    const session::inside here(*own);
    own->persistent.free(given);
  } catch (...) {
    own->fail(function::of_MPI_Request_free);
  }
  return code;
}

}  // extern "C"
