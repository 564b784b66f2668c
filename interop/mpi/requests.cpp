// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Starts, ends and cancelling of requests.
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/request_list.hpp"
#include "interop/mpi/detail/session.hpp"
#include "interop/mpi/detail/take.hpp"

using namespace upwash::mpi;  // NOLINT: of this file alone

namespace {

int start(session& own, function in, MPI_Request request) noexcept {
  return of_one(own, in, request, [&](own_request& of) {
    if (!of.is_persistent || of.is_active) return told::no_request();
    start_again(own, static_cast<persistent_call&>(of));
    return told{};
  });
}

}  // namespace

extern "C" {

int MPI_Cancel(MPI_Request* request) {
  passed(function::of_MPI_Cancel);
  session* own = session::current();
  if (!is_ours(own, request)) return PMPI_Cancel(request);
  return of_one(*own, function::of_MPI_Cancel, *request, [](own_request& of) {
    of.cancel();
    return told{};
  });
}

int MPI_Start(MPI_Request* request) {
  session* own = session::current();
  if (!is_ours(own, request)) {
    passed(function::of_MPI_Start);
    return PMPI_Start(request);
  }
  count(function::of_MPI_Start, fate::taken);
  return start(*own, function::of_MPI_Start, *request);
}

int MPI_Startall(int number, MPI_Request requests[]) {
  constexpr function in = function::of_MPI_Startall;
  session* own = session::current();
  if (own == nullptr || !request_list::has_ours(number, requests)) {
    passed(in);
    return PMPI_Startall(number, requests);
  }
  count(in, fate::taken);
  int code = MPI_SUCCESS;
  for (int i = 0; i < number && code == MPI_SUCCESS; ++i) {
    code = is_ours(own, &requests[i]) ? start(*own, in, requests[i]) : PMPI_Start(&requests[i]);
  }
  return code;
}

int MPI_Request_free(MPI_Request* request) {
  passed(function::of_MPI_Request_free);
  session* own = session::current();
  if (!is_ours(own, request)) return PMPI_Request_free(request);
  return of_one(*own, function::of_MPI_Request_free, *request, [&](own_request& of) {
    of.let_go();
    *request = MPI_REQUEST_NULL;
    return told{};
  });
}

}  // extern "C"
