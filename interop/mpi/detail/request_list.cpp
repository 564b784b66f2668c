// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/request_list.hpp"

#include <algorithm>
#include <cstddef>

namespace upwash::mpi {
namespace {

/// Most requests of sends; nothing is kept of them that must be looked up.
bool is_complete_send(MPI_Request request) noexcept {
  return request == request_book::of_complete_send();
}

}  // namespace

request_list::request_list(session& own, int number, MPI_Request* requests, MPI_Status* statuses)
    : own_(own), number_(number), requests_(requests), statuses_(statuses) {
  for (int i = 0; i < number; ++i) {
    if (const std::uintptr_t word = word_of(requests[i]); is_own_handle(word)) {
      const own_request* of = own.requests.find_own(word);
      if (of == nullptr) {
        is_wrong_ = true;
      } else if (of->is_active) {
        has_active_ = true;
      }
    } else if (requests[i] != MPI_REQUEST_NULL) {
      library_has_active_ = true;  // until it says otherwise
    }
  }
  if (!library_has_active_) return;
  library_.assign(requests, requests + number);
  for (MPI_Request& each : library_) {
    if (is_own_handle(word_of(each))) each = MPI_REQUEST_NULL;
  }
}

void request_list::await_ours() {
  for (int i = 0; i < number_; ++i) {
    if (is_complete_send(requests_[i])) continue;
    if (own_request* of = ours(i); of != nullptr && !of->is_over()) own_.await(*of);
  }
}

bool request_list::ours_are_complete() const {
  for (int i = 0; i < number_; ++i) {
    own_request* of = ours(i);
    if (of != nullptr && !of->is_over()) return false;
  }
  return true;
}

bool request_list::complete_library(bool waits) {
  if (library_.empty()) return true;
  MPI_Status* statuses = MPI_STATUSES_IGNORE;
  if (statuses_ != MPI_STATUSES_IGNORE) {
    library_statuses_.resize(library_.size());
    statuses = library_statuses_.data();
  }
  int complete = 1;
  library_code_ = waits ? PMPI_Waitall(number_, library_.data(), statuses)
                        : PMPI_Testall(number_, library_.data(), &complete, statuses);
  return complete != 0 || library_code_ != MPI_SUCCESS;
}

void request_list::note(int i, const told& how) {
  if (how.code == MPI_SUCCESS) return;
  codes_.resize(static_cast<std::size_t>(number_), MPI_SUCCESS);
  codes_[static_cast<std::size_t>(i)] = how.code;
  if (how.on != MPI_COMM_NULL) failed_on_ = how.on;
}

/// Statuses have codes of their own only where one is not MPI_SUCCESS.
told request_list::result(int number) const {
  if (codes_.empty()) return {};
  for (int i = 0; i < number && statuses_ != MPI_STATUSES_IGNORE; ++i) {
    statuses_[i].MPI_ERROR = codes_[static_cast<std::size_t>(i)];
  }
  return {MPI_ERR_IN_STATUS, failed_on_};
}

told request_list::settle_all() {
  if (library_code_ != MPI_SUCCESS && library_code_ != MPI_ERR_IN_STATUS) return {library_code_};
  for (int i = 0; i < number_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (is_complete_send(requests_[i])) {
      requests_[i] = MPI_REQUEST_NULL;
      fill_empty(status(i));
    } else if (own_request* of = ours(i); of != nullptr) {
      if (!of->is_over()) own_.await(*of);
      const told how = settle(*of, &requests_[i], status(i));
      if (how.code != MPI_SUCCESS) [[unlikely]]
        note(i, how);
    } else if (library_.empty()) {
      fill_empty(status(i));
    } else {
      requests_[i] = library_[at];
      if (statuses_ == MPI_STATUSES_IGNORE) continue;
      statuses_[i] = library_statuses_[at];
      if (library_code_ != MPI_SUCCESS) note(i, {statuses_[i].MPI_ERROR});
    }
  }
  if (library_code_ != MPI_SUCCESS && codes_.empty()) return {library_code_};
  return result(number_);
}

void request_list::ask_library(bool for_some) {
  const auto most = static_cast<std::size_t>(for_some ? number_ : 1);
  std::vector<int> indices(most, 0);
  std::vector<MPI_Status> statuses(most);
  int number = 0;
  // Functions of the program's that generalized requests and errors call may call MPI.
  const turn_lock::given others(own_.threads);
  if (for_some) {
    library_code_ =
        PMPI_Testsome(number_, library_.data(), &number, indices.data(), statuses.data());
    if (number == MPI_UNDEFINED) library_has_active_ = false;
  } else {
    int complete = 0;
    library_code_ =
        PMPI_Testany(number_, library_.data(), indices.data(), &complete, statuses.data());
    if (complete != 0 && indices[0] == MPI_UNDEFINED) library_has_active_ = false;
    number = complete != 0 && library_has_active_ ? 1 : 0;
  }
  for (int i = 0; i < number; ++i) {
    const auto at = static_cast<std::size_t>(i);
    found_.push_back({indices[at], statuses[at]});
  }
}

bool request_list::look(bool for_some) {
  own_.open.collect();
  for (int i = 0; i < number_; ++i) {
    if (is_ready(i)) return true;
  }
  if (library_has_active_ && found_.empty()) ask_library(for_some);
  return !found_.empty() || library_code_ != MPI_SUCCESS || !(has_active_ || library_has_active_);
}

void request_list::await_any(bool for_some) {
  struct waited {
    request_list* list;
    bool for_some;
  } const what{this, for_some};
  const auto over = [](const void* context) {
    const auto& seen = *static_cast<const waited*>(context);
    return seen.list->look(seen.for_some);
  };
  if (over(&what)) return;
  auto target = conduit::wait_target::predicate(over, &what);
  target.set_polls(library_has_active_);  // nobody wakes this rank for the library's
  host(own_.here()).wait(target, {.operation = for_some ? "MPI_Waitsome" : "MPI_Waitany"});
}

told request_list::settle_any(int* index, MPI_Status* status) {
  // What the library has said is over is never said again.
  for (int i = 0; i < number_ && found_.empty(); ++i) {
    if (!is_ready(i)) continue;
    *index = i;
    return settle(*ours(i), &requests_[i], status);
  }
  *index = MPI_UNDEFINED;
  if (found_.empty()) {
    fill_empty(status);
    return {library_code_};
  }
  const completed& it = found_.front();
  *index = it.index;
  requests_[it.index] = library_[static_cast<std::size_t>(it.index)];
  if (status != MPI_STATUS_IGNORE) *status = it.status;
  return {library_code_};
}

told request_list::settle_some(int* number, int* indices) {
  int so_far = 0;
  for (int i = 0; i < number_; ++i) {
    if (!is_ready(i)) continue;
    indices[so_far] = i;
    note(so_far, settle(*ours(i), &requests_[i], status(so_far)));
    ++so_far;
  }
  if (library_has_active_ && found_.empty()) ask_library(true);
  for (const completed& each : found_) {
    indices[so_far] = each.index;
    requests_[each.index] = library_[static_cast<std::size_t>(each.index)];
    if (statuses_ != MPI_STATUSES_IGNORE) statuses_[so_far] = each.status;
    if (library_code_ == MPI_ERR_IN_STATUS) note(so_far, {each.status.MPI_ERROR});
    ++so_far;
  }
  *number = so_far == 0 && !(has_active_ || library_has_active_) ? MPI_UNDEFINED : so_far;
  if (library_code_ != MPI_SUCCESS && library_code_ != MPI_ERR_IN_STATUS) return {library_code_};
  return result(so_far);
}

}  // namespace upwash::mpi
