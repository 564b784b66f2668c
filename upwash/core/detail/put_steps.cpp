// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts on conduits that do not report remote completion, or carry no signals: the data, then a
// flush, then the signal by a message that the owner acknowledges.
//
// A flush speaks for all earlier puts to its peer. So one is under way to a peer at a time; the
// puts that are injected meanwhile share the next one.
#include <utility>

#include "upwash/core/detail/memory_engine.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

bool memory_engine::put_in_steps(operation& op, const part& target) {
  enum { to_put, to_flush, at_target };
  const transfer& what = op.what;
  op.remote.open = true;  // ends the operation, whether or not anybody asked to be told
  if (op.steps_done == to_put) {
    const bool tells = peers_.of(what.at.rank).remote_completion;
    const conduit::completions when{op.local.open ? &op.local.hook : nullptr,
                                    tells ? &op.step.hook : nullptr};
    const auto put = endpoint_.put(here_.rank(), target.memory, what.at.offset,
                                   {what.from, what.bytes}, when, nullptr);
    if (put.what == conduit::outcome::retry) return false;
    if (what.signal.rank >= 0) ++records_[what.at.rank].signals_due;
    const bool done = put.what == conduit::outcome::done;
    op.steps_done = done || tells ? at_target : to_flush;
    if (done && op.local.open) told(op.local);
    if (!done && tells) return true;  // step_hook goes on
  }
  if (op.steps_done == to_flush) {
    op.steps_done = at_target;
    flush_batch& batch = flushes_[what.at.rank];
    batch.next.push_back(&op);
    if (!batch.under_way) ask_for_flush(what.at.rank, batch);
    return true;
  }
  if (what.signal.rank >= 0) {
    if (!send_signal(op)) return false;
    --records_[what.at.rank].signals_due;
    return true;
  }
  told(op.remote);
  return true;
}

void memory_engine::step_hook(conduit::completion& told) noexcept {
  operation& op = *reinterpret_cast<stage&>(told).of;
  memory_engine& self = *op.engine;
  const auto held = self.lock();
  self.go_on(op);
}

/// At the next progress: who tells must not inject.
void memory_engine::go_on(operation& op) {
  to_go_on_[op.what.at.rank].push_back(&op);
  ++waiting_;
}

/// At the next progress, so that puts that begin together share it.
void memory_engine::ask_for_flush(int rank, flush_batch& batch) {
  if (std::exchange(batch.asked, true)) return;
  to_flush_.push_back(rank);
  ++waiting_;
}

int memory_engine::start_flushes() {
  int moved = 0;
  for (auto turns = to_flush_.size(); turns != 0; --turns) {
    const int rank = to_flush_.front();
    to_flush_.pop_front();
    --waiting_;
    flush_batch& batch = flushes_[rank];
    batch.asked = false;
    batch.engine = this;
    batch.rank = rank;
    batch.hook.tell = &memory_engine::flush_hook;
    std::swap(batch.now, batch.next);
    const auto flush = endpoint_.flush(here_.rank(), rank, &batch.hook);
    if (flush.what == conduit::outcome::retry) {
      std::swap(batch.now, batch.next);
      ask_for_flush(rank, batch);
      continue;
    }
    ++moved;
    batch.under_way = flush.what == conduit::outcome::pending;
    if (!batch.under_way) flushed(batch);
  }
  return moved;
}

void memory_engine::flushed(flush_batch& batch) {
  batch.under_way = false;
  for (operation* each : batch.now) go_on(*each);
  batch.now.clear();
  if (!batch.next.empty()) ask_for_flush(batch.rank, batch);
}

void memory_engine::flush_hook(conduit::completion& told) noexcept {
  // The hook is the first member of its batch.
  auto& batch = reinterpret_cast<flush_batch&>(told);
  const auto held = batch.engine->lock();
  batch.engine->flushed(batch);
}

}  // namespace upwash::detail
