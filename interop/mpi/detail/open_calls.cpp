// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/open_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "interop/mpi/detail/persistent_calls.hpp"

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
  complete.all->deliver();
  complete.all.reset();
  --complete.on->under_way;
  if (!complete.is_active) complete.let_go();
}

void open_call::let_go() {
  is_active = false;
  if (is_complete) in->pool_.give_back(this);
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

void open_calls::finish(const membership* on) {
  for (std::size_t i = 0; i < all_.size();) {
    open_call* each = all_[i];
    if (on != nullptr && each->on != on) {
      ++i;
      continue;
    }
    at_ = each->which;
    each->going.wait();
    std::erase(all_, each);
    tell(*each);
  }
}

}  // namespace upwash::mpi
