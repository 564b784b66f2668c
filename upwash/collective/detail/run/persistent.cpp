// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that are set up once and started often.
#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/collective/executor.hpp"

namespace upwash::collective {

persistent prepare(const team& among, const schedule::generator& steps, const binding& buffers,
                   const manner& how) {
  auto& service = among.here().service<detail::executor>();
  detail::team_record& record = service.record_of(among);
  auto kept = service.store().make(among, record, steps, buffers, how);
  kept->is->persists = true;
  kept->is->compact = detail::compact_plan_of(among, record, steps, how);
  if (kept->is->compact) kept->is->in_turn.steps = kept->is->compact->steps;
  return persistent(std::move(kept));
}

persistent::persistent(std::unique_ptr<detail::operation_block> kept) noexcept
    : kept_(std::move(kept)) {}
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
  if (!kept_ || !kept_->is->running) return;
  auto& service = kept_->is->among.here().service<detail::executor>();
  service.runs().retire(std::move(kept_));
}

detail::operation& persistent::kept() const {
  if (kept_) [[likely]]
    return *kept_->is;
  throw error(error_kind::argument,
              "a persistent collective is started that was moved from: start what it was moved to");
}

request persistent::start() {
  detail::operation& op = kept();
  return op.among.here().service<detail::executor>().runs().restart(op);
}

void persistent::run() {
  detail::operation& op = kept();
  auto& service = op.among.here().service<detail::executor>();
  service.runs().await_last_start(op);
  if (op.compact &&
      service.compact().run(op.on_team, *op.compact, op.buffers, op.how.agreed.site, &op))
    return;
  service.runs().restart(op).wait();
}

}  // namespace upwash::collective
