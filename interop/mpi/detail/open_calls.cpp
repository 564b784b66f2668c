// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/open_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "interop/mpi/detail/persistent_calls.hpp"
#include "upwash/core/host.hpp"

namespace upwash::mpi {

void open_calls::add(function which, membership& on, std::unique_ptr<traffic> all,
                     upwash::request going, MPI_Request* request) {
  open_call& begun = *pool_.take();
  begun.which = which;
  begun.on = &on;
  begun.all = std::move(all);
  begun.is_active = true;
  ++on.under_way;
  *request = requests_.handle_of(begun);
  begin(begun, std::move(going));
}

void open_calls::add(persistent_call& kept, upwash::request going) {
  open_call& begun = *pool_.take();
  begun.which = kept.which;
  begun.on = nullptr;
  begun.kept = &kept;
  begun.is_active = false;
  begin(begun, std::move(going));
}

void open_calls::begin(open_call& begun, upwash::request going) {
  begun.in = this;
  begun.is_complete = false;
  begun.going = std::move(going);
  if (begun.going.done()) return tell(begun);
  all_.push_back(&begun);
}

void open_calls::tell(open_call& complete) {
  at_ = complete.which;
  complete.going = {};
  complete.is_complete = true;
  if (persistent_call* kept = std::exchange(complete.kept, nullptr); kept != nullptr) {
    complete.let_go();
    return kept->of.tell(*kept);
  }
  --complete.on->under_way;
  if (!complete.is_active) requests_.let_go(complete);
}

void open_call::deliver() {
  if (all == nullptr) return;
  all->deliver();
  all.reset();
}

void open_call::let_go() {
  is_active = false;
  if (!is_complete) return;
  deliver();
  in->pool_.give_back(this);
}

int open_calls::collect_some() {
  at_ = all_.front()->which;
  int told = 0;
  for (std::size_t i = 0; i < all_.size();) {
    if (!all_[i]->going.done()) {
      ++i;
      continue;
    }
    open_call* complete = all_[i];
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
    tell(*complete);
    ++told;
  }
  return told;
}

void open_calls::finish(job& here, const membership* on) {
  struct waited {
    open_calls* calls;
    const membership* on;
  } const what{this, on};
  const auto over = [](const void* context) {
    const auto& seen = *static_cast<const waited*>(context);
    seen.calls->collect();
    return std::ranges::none_of(seen.calls->all_, [&](const open_call* each) {
      return seen.on == nullptr || each->on == seen.on;
    });
  };
  if (over(&what)) return;
  host(here).wait(conduit::wait_target::predicate(over, &what),
                  {.operation = "nonblocking collectives"});
}

}  // namespace upwash::mpi
