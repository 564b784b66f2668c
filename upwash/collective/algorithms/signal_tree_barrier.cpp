// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/signal_tree_barrier.hpp"

namespace upwash::collective {

using schedule::step_kind;

bool signal_tree_barrier::next(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::gather) {
    if (gather(out, on)) return true;
    phase_ = tree_.is_root() ? phase::release : phase::tell;
    child_ = tree_.children();
  }
  switch (phase_) {
    case phase::tell:
      tell(out, on);
      phase_ = phase::hear;
      return true;
    case phase::hear:
      hear(out, on);
      phase_ = phase::release;
      return true;
    default: return release(out, on);
  }
}

/// Each child's own counter, or once for all the counter here.
bool signal_tree_barrier::gather(schedule::step& out, schedule::tape& on) {
  if (child_ == tree_.children()) return false;
  out.kind = step_kind::await;
  out.edge = arrived;
  if (arrival_ == signalling::pull) {
    out.peer = tree_.rank_of(tree_.child(child_++).position);
    out.value = 1;
  } else {
    child_ = tree_.children();
    out.value = static_cast<std::uint64_t>(child_);
  }
  here_.set(on.emit(out, here_.at()));  // so the last one is behind them all
  return true;
}

void signal_tree_barrier::tell(schedule::step& out, schedule::tape& on) {
  out.kind = step_kind::signal;
  out.edge = arrived;
  if (arrival_ == signalling::push) out.peer = tree_.parent();
  on.emit(out, here_.at());
}

void signal_tree_barrier::hear(schedule::step& out, schedule::tape& on) {
  out.kind = step_kind::await;
  out.edge = released;
  out.round = 1;
  out.value = 1;
  if (release_ == signalling::pull) out.peer = tree_.parent();
  here_.set(on.emit(out));
}

/// The children with the largest subtrees come first.
bool signal_tree_barrier::release(schedule::step& out, schedule::tape& on) {
  if (child_ == 0) return false;
  out.kind = step_kind::signal;
  out.edge = released;
  out.round = 1;
  if (release_ == signalling::push) {
    out.peer = tree_.rank_of(tree_.child(--child_).position);
  } else {
    child_ = 0;
  }
  here_.pass(on.emit(out, here_.at()));
  return true;
}

}  // namespace upwash::collective
