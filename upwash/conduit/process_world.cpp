// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/process_world.hpp"

#include <utility>

#include "upwash/base/process.hpp"
#include "upwash/conduit/stack_bytes.hpp"

namespace upwash::conduit {

process_world::process_world(std::unique_ptr<process_endpoint> made, const settings& values)
    : endpoint_(std::move(made)), turns_(static_cast<std::uint64_t>(values.integer("turns")), 0) {
  if (local_ranks() == 1) return;
  const bool drawn = values.integer("turns") != 0;
  ranks_.emplace(first_rank(), local_ranks(), stack_bytes(values, real_stack_bytes), *endpoint_,
                 drawn ? &turns_ : nullptr);
}

waiter& process_world::waiter_of(int /*rank*/) {
  if (ranks_) return *ranks_;
  return *endpoint_;
}

void process_world::watch_turns(switch_watch& by) {
  if (ranks_) ranks_->watch(by);
}

void process_world::run(function_ref<void(int)> body) {
  if (ranks_) {
    endpoint_->schedule_by(*ranks_);
    return ranks_->run(body);
  }
  process::set_current_rank(first_rank());
  body(first_rank());
}

}  // namespace upwash::conduit
