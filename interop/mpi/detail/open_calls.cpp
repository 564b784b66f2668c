// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/open_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "interop/mpi/detail/persistent_calls.hpp"

namespace upwash::mpi {
namespace {

extern "C" {

int say_nothing_of_it(void*, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int nothing_to_free(void*) { return MPI_SUCCESS; }

/// MPI has no cancelling of collectives.
int no_cancelling(void*, int) { return MPI_SUCCESS; }

}  // extern "C"
}  // namespace

void open_calls::add(open_call begun, MPI_Request* request) {
  PMPI_Grequest_start(&say_nothing_of_it, &nothing_to_free, &no_cancelling, nullptr, request);
  begun.told = *request;
  ++begun.on->under_way;
  add(std::move(begun));
}

void open_calls::add(persistent_call& kept, upwash::request going) {
  add({kept.which, nullptr, nullptr, std::move(going), MPI_REQUEST_NULL, &kept});
}

void open_calls::add(open_call begun) {
  if (begun.going.done()) return tell(begun);
  all_.push_back(std::move(begun));
}

void open_calls::tell(open_call& complete) {
  at_ = complete.which;
  complete.going = {};
  if (complete.kept != nullptr) return complete.kept->of.tell(*complete.kept);
  complete.all->deliver();
  --complete.on->under_way;
  PMPI_Grequest_complete(complete.told);
}

int open_calls::advance(job& here) {
  at_ = all_.front().which;
  here.progress();
  int told = 0;
  for (std::size_t i = 0; i < all_.size();) {
    if (!all_[i].going.done()) {
      ++i;
      continue;
    }
    open_call complete = std::move(all_[i]);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
    tell(complete);
    ++told;
  }
  return told;
}

void open_calls::finish(const membership* on) {
  for (std::size_t i = 0; i < all_.size();) {
    if (on != nullptr && all_[i].on != on) {
      ++i;
      continue;
    }
    at_ = all_[i].which;
    all_[i].going.wait();
    open_call complete = std::move(all_[i]);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
    tell(complete);
  }
}

}  // namespace upwash::mpi
