// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits and tests: of requests of upwash's own alone, of such among the MPI library's, and of
// those, which the library completes.
#include <optional>

#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/request_list.hpp"
#include "interop/mpi/detail/session.hpp"

using namespace upwash::mpi;  // NOLINT: of this file alone

namespace {

bool any_is_ours(session* own, int number, const MPI_Request* requests) noexcept {
  return own != nullptr && request_list::has_ours(number, requests);
}

/// `what(request_list&)` inside upwash, of requests of which some are upwash's.
template <class What>
int of_several(session& own, function in, int number, MPI_Request* requests, MPI_Status* statuses,
               const What& what) noexcept {
  const auto known = [&]() -> told {
    request_list all(own, number, requests, statuses);
    return all.is_wrong() ? told::no_request() : what(all);
  };
  return inside(own, in, known).returned();
}

/// What is there to see without waiting.
bool look(session& own, request_list& all, bool for_some) {
  own.go_on_here();
  const bool found = all.look(for_some);
  if (!found) own.let_library_go_on();
  return found;
}

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  passed(function::of_MPI_Wait);
  session* own = session::current();
  if (!is_ours(own, request)) return PMPI_Wait(request, status);
  return of_one(*own, function::of_MPI_Wait, *request, [&](own_request& of) {
    own->await(of);
    return settle(of, request, status);
  });
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  passed(function::of_MPI_Test);
  session* own = session::current();
  if (!is_ours(own, request)) return PMPI_Test(request, flag, status);
  return of_one(*own, function::of_MPI_Test, *request, [&](own_request& of) -> told {
    if (!of.is_over()) own->go_on_here();
    *flag = of.is_over() ? 1 : 0;
    if (*flag != 0) return settle(of, request, status);
    own->let_library_go_on();
    return {};
  });
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  passed(function::of_MPI_Request_get_status);
  session* own = session::current();
  if (!is_ours(own, &request)) return PMPI_Request_get_status(request, flag, status);
  return of_one(*own, function::of_MPI_Request_get_status, request, [&](own_request& of) -> told {
    if (!of.is_over()) own->go_on_here();
    *flag = of.is_over() ? 1 : 0;
    if (*flag == 0) {
      own->let_library_go_on();
      return {};
    }
    return say_end(of, status);
  });
}

int MPI_Waitall(int number, MPI_Request requests[], MPI_Status statuses[]) {
  constexpr function in = function::of_MPI_Waitall;
  passed(in);
  session* own = session::current();
  if (!any_is_ours(own, number, requests)) return PMPI_Waitall(number, requests, statuses);
  std::optional<request_list> all;
  const told ours = inside(*own, in, [&]() -> told {
    all.emplace(*own, number, requests, statuses);
    if (all->is_wrong()) return told::no_request();
    if (!all->has_library()) return all->settle_all();
    all->await_ours();
    return {};
  });
  if (all->is_wrong() || !all->has_library()) return ours.returned();
  static_cast<void>(all->complete_library(true));
  return inside(*own, in, [&] { return all->settle_all(); }).returned();
}

int MPI_Testall(int number, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  constexpr function in = function::of_MPI_Testall;
  passed(in);
  session* own = session::current();
  if (!any_is_ours(own, number, requests)) return PMPI_Testall(number, requests, flag, statuses);
  std::optional<request_list> all;
  const bool ours = inside(*own, in, [&] {
    all.emplace(*own, number, requests, statuses);
    if (all->is_wrong()) return false;
    if (!all->ours_are_complete()) own->go_on_here();
    if (all->ours_are_complete()) return true;
    own->let_library_go_on();
    return false;
  });
  if (all->is_wrong()) return told::no_request().returned();
  *flag = ours && all->complete_library(false) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  return inside(*own, in, [&] { return all->settle_all(); }).returned();
}

int MPI_Waitany(int number, MPI_Request requests[], int* index, MPI_Status* status) {
  constexpr function in = function::of_MPI_Waitany;
  passed(in);
  session* own = session::current();
  if (!any_is_ours(own, number, requests)) return PMPI_Waitany(number, requests, index, status);
  return of_several(*own, in, number, requests, MPI_STATUSES_IGNORE, [&](request_list& all) {
    all.await_any(false);
    return all.settle_any(index, status);
  });
}

int MPI_Testany(int number, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  constexpr function in = function::of_MPI_Testany;
  passed(in);
  session* own = session::current();
  if (!any_is_ours(own, number, requests)) {
    return PMPI_Testany(number, requests, index, flag, status);
  }
  return of_several(*own, in, number, requests, MPI_STATUSES_IGNORE,
                    [&](request_list& all) -> told {
                      *flag = look(*own, all, false) ? 1 : 0;
                      *index = MPI_UNDEFINED;
                      if (*flag == 0) return {};
                      return all.settle_any(index, status);
                    });
}

int MPI_Waitsome(int number, MPI_Request requests[], int* complete, int indices[],
                 MPI_Status statuses[]) {
  constexpr function in = function::of_MPI_Waitsome;
  passed(in);
  session* own = session::current();
  if (!any_is_ours(own, number, requests)) {
    return PMPI_Waitsome(number, requests, complete, indices, statuses);
  }
  return of_several(*own, in, number, requests, statuses, [&](request_list& all) {
    all.await_any(true);
    return all.settle_some(complete, indices);
  });
}

int MPI_Testsome(int number, MPI_Request requests[], int* complete, int indices[],
                 MPI_Status statuses[]) {
  constexpr function in = function::of_MPI_Testsome;
  passed(in);
  session* own = session::current();
  if (!any_is_ours(own, number, requests)) {
    return PMPI_Testsome(number, requests, complete, indices, statuses);
  }
  return of_several(*own, in, number, requests, statuses, [&](request_list& all) -> told {
    *complete = 0;
    if (!look(*own, all, true)) return {};
    return all.settle_some(complete, indices);
  });
}

}  // extern "C"
