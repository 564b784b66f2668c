// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/persistent_calls.hpp"

#include <utility>

#include "interop/mpi/detail/open_messages.hpp"

namespace upwash::mpi {

void persistent_call::deliver() {
  if (std::exchange(owes, false)) all->deliver();
  if (into) mpi::deliver(end, *into);
  into.reset();
}

void persistent_call::cancel() {
  if (message != nullptr && message->going != nullptr) message->going->cancel();
}

void persistent_call::let_go() {
  is_persistent = false;
  if (is_complete) of.drop(*this);
}

void persistent_calls::add(std::unique_ptr<persistent_call> made, MPI_Request* request) {
  *request = requests_.handle_of(*made);
  persistent_call& kept = *made;
  kept.at = all_.insert(all_.end(), std::move(made));
}

void persistent_calls::tell(persistent_call& complete) {
  complete.owes = complete.all != nullptr;
  complete.is_complete = true;
  if (!complete.is_persistent) requests_.let_go(complete);
}

void persistent_calls::drop(persistent_call& going) {
  going.deliver();
  if (going.place != nullptr) going.place->taken = false;
  if (going.message != nullptr) --going.message->on->kept_messages;
  requests_.forget(going);
  all_.erase(going.at);
}

}  // namespace upwash::mpi
