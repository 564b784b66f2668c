// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/broadcasts.hpp"

#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_tables.hpp"

namespace upwash::objects {

/// With the broadcasts that it has missed on its way.
void array_core::catch_up(element& with) {
  ensure(with.broadcasts >= broadcasts_.forgotten(),
         "an object has run the broadcasts that all have forgotten", with.broadcasts,
         broadcasts_.forgotten());
  for (std::uint64_t b = with.broadcasts + 1; b <= broadcasts_.last(); ++b) {
    created();
    service_.enqueue(broadcasts_.at(b).copy_for(with.key));
  }
}

void array_core::broadcast(std::unique_ptr<broadcast_call> made) {
  made->head.array = name_;
  created();
  if (among_.rank() != 0) return made->send(among_.here(), among_.world_rank(0));
  // As a handler: waiting for credit would let the next one pass it.
  host(among_.here()).run_as_handler([&] { broadcast_arrived(std::move(made)); });
}

/// Down the tree below member 0, where it is numbered.
void array_core::broadcast_arrived(std::unique_ptr<broadcast_call> call) {
  if (call->head.strategy != 0) delegations_.carried(call->head);
  if (call->head.caller != 0) return sections_.call_arrived(std::move(call));
  if (among_.rank() == 0) call->head.broadcast = broadcasts_.last() + 1;
  for (const int child : children_of(broadcasts_.shape, among_.rank(), among_.size())) {
    created();
    call->send(among_.here(), among_.world_rank(child));
  }
  broadcasts_.add(std::move(call));
  const std::uint64_t number = broadcasts_.last();
  for (const auto& [key, one] : in_->here) {
    if (one->broadcasts >= number) continue;
    created();
    service_.enqueue(broadcasts_.at(number).copy_for(key));
  }
  work_.handled();
}

}  // namespace upwash::objects
