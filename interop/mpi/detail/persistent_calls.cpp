// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/persistent_calls.hpp"

#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::mpi {

persistent_calls::persistent_calls(MPI_Comm own) : own_(own) {
  PMPI_Comm_rank(own_, &rank_);
  const int* tags = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&tags), &found);
  most_ = static_cast<std::size_t>(found != 0 ? *tags : 32767);
}

persistent_call* persistent_calls::find(MPI_Request request) const {
  const auto found = by_request_.find(word_of(request));
  return found == by_request_.end() ? nullptr : found->second;
}

kept_message* persistent_calls::received(MPI_Request request) const {
  const persistent_call* found = find(request);
  const bool receives = found != nullptr && found->message != nullptr && !found->message->sends;
  return receives ? found->message.get() : nullptr;
}

void persistent_calls::add(std::unique_ptr<persistent_call> made, MPI_Request* request) {
  if (unused_.empty()) {
    if (all_.size() > most_) {
      throw error(error_kind::system,
                  fmt::format("rank {} of MPI_COMM_WORLD has {} persistent requests: the MPI "
                              "library has no tag for another; free some, or set UPWASH_MPI=off",
                              rank_, all_.size()));
    }
    unused_.push_back(all_.size());
    all_.emplace_back();
  }
  const std::size_t number = unused_.back();
  unused_.pop_back();
  PMPI_Recv_init(nullptr, 0, MPI_BYTE, rank_, static_cast<int>(number), own_, request);
  made->number = number;
  by_request_[word_of(*request)] = made.get();
  if (made->message != nullptr && !made->message->sends) ++receives_;
  all_[number] = std::move(made);
}

void persistent_calls::tell(persistent_call& complete) {
  if (complete.all != nullptr) complete.all->deliver();
  complete.under_way = false;
  // Its receive is there already.
  PMPI_Send(nullptr, 0, MPI_BYTE, rank_, static_cast<int>(complete.number), own_);
  if (complete.freed) drop(complete.number);
}

void persistent_calls::free(MPI_Request request) {
  const auto found = by_request_.find(word_of(request));
  if (found == by_request_.end()) return;
  persistent_call& going = *found->second;
  by_request_.erase(found);
  if (going.message != nullptr && !going.message->sends) --receives_;
  going.freed = true;
  if (!going.under_way) drop(going.number);
}

void persistent_calls::drop(std::size_t number) {
  own_place* place = all_[number]->place;
  if (all_[number]->message != nullptr) --all_[number]->message->on->kept_messages;
  all_[number].reset();
  if (place != nullptr) place->taken = false;
  unused_.push_back(number);
}

void persistent_calls::end() {
  by_request_.clear();
  all_.clear();
}

}  // namespace upwash::mpi
