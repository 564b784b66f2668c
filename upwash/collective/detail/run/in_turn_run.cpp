// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/in_turn_run.hpp"

namespace upwash::collective::detail {
namespace {

/// Less is done by the rank before the thread has heard of it.
constexpr std::uint64_t least_lent = 8192;

}  // namespace

/// Whether it moves enough, and the thread may do something of it: built-in operators only, since
/// others may be anything. Reaches the scratch that the steps name, which the thread must not.
bool in_turn_run::may_be_lent() const {
  const bool fetches =
      host(where_->here).endpoint().describe().of(conduit::nearness::node).reads_aside;
  std::uint64_t moved = 0;
  for (const compact_step& s : *steps) {
    if (s.kind == schedule::step_kind::reduce && !where_->buffers.combine.built_in) return false;
    if (!s.fetches || fetches) moved += s.bytes;
    for (const compact_piece* each : {&s.left, &s.right, &s.into}) {
      if (each->of == schedule::buffer::shared) {
        static_cast<void>(where_->lines.scratch(each->owner, where_->shared));
      }
    }
  }
  return moved >= least_lent;
}

bool in_turn_run::lend() {
  lent_ = where_->here.options().progress_thread && may_be_lent() && host(where_->here).lend(*this);
  return lent_;
}

void in_turn_run::end() noexcept {
  if (!lent_) return;
  const host rank(where_->here);
  rank.take_back(*this);
  rank.counters().gets += reads_;
  rank.counters().get_bytes += read_bytes_;
  lent_ = false;
}

int in_turn_run::move(taken_by who) {
  if (who == taken_by::thread) {
    return go_on(
        [this](const compact_run& run, const compact_step& s) { return perform_aside(run, s); },
        who);
  }
  return go_on([](const compact_run& run, const compact_step& s) {
    run.perform(s);
    return true;
  });
}

/// What the thread cannot read the rank does, through the endpoint.
bool in_turn_run::perform_aside(const compact_run& run, const compact_step& s) {
  if (!s.fetches) {
    run.perform(s);
    return true;
  }
  reads_aside_ = run.fetch_aside(s);
  if (!reads_aside_) return false;
  ++reads_;
  read_bytes_ += s.bytes;
  return true;
}

}  // namespace upwash::collective::detail
