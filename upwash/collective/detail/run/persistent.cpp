// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that are set up once and started often.
#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/collective/executor.hpp"

namespace upwash::collective {
namespace detail {

void executor::await_last_start(operation& kept) {
  if (kept.failed) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a persistent {} is started again, but its last start failed; "
                            "make a new one on all members",
                            here_.rank(), kept.how.agreed.operation));
  }
  if (kept.told_early && kept.running) {  // of which the caller knows nothing any more
    const auto over = [](const void* op) { return !static_cast<const operation*>(op)->running; };
    here_.wait(conduit::wait_target::predicate(over, &kept), {.operation = "persistent"});
  }
  if (kept.running) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a persistent {} is started while its last start is under "
                            "way; wait for its request first",
                            here_.rank(), kept.how.agreed.operation));
  }
}

request executor::restart(operation& kept) {
  await_last_start(kept);
  return begin(kept);
}

void executor::run_again(operation& kept) {
  await_last_start(kept);
  if (kept.compact && run_compact(kept.on_team, *kept.compact, kept.buffers, &kept)) return;
  begin(kept).wait();
}

void executor::retire(std::unique_ptr<operation> kept) {
  operation& op = *kept;
  op.persists = false;
  owned_.push_back(std::move(kept));
  if (op.failed) return;
  begun_operation last = begin_operation(here_, {.operation = "persistent"});
  op.left = last.end;
}  // the request waits for it, whatever others throw meanwhile

}  // namespace detail

persistent::persistent(const team& among, const schedule::generator& steps, const binding& buffers,
                       const manner& how) {
  auto& service = among.here().service<detail::executor>();
  kept_ =
      std::make_unique<detail::operation>(service.spare_slots(), among, service.record_of(among),
                                          service.next_number(among), steps, buffers, how);
  kept_->persists = true;
  kept_->compact = detail::executor::compact_plan_of(among, kept_->on_team, steps, how);
}

persistent::persistent(persistent&&) noexcept = default;
persistent& persistent::operator=(persistent&& other) noexcept {
  if (this != &other) {
    retire();
    kept_ = std::move(other.kept_);
  }
  return *this;
}
persistent::~persistent() { retire(); }

void persistent::retire() {
  if (!kept_ || !kept_->running) return;
  auto& service = kept_->among.here().service<detail::executor>();
  service.retire(std::move(kept_));
}

detail::operation& persistent::kept() const {
  if (kept_) [[likely]]
    return *kept_;
  throw error(error_kind::argument,
              "a persistent collective is started that was moved from: start what it was moved to");
}

request persistent::start() {
  detail::operation& op = kept();
  return op.among.here().service<detail::executor>().restart(op);
}

void persistent::run() {
  detail::operation& op = kept();
  op.among.here().service<detail::executor>().run_again(op);
}

}  // namespace upwash::collective
