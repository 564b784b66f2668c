// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/tree_barrier.hpp"

namespace upwash::collective {

using schedule::step_kind;

bool tree_barrier::next(schedule::step& out, schedule::tape& on) {
  switch (phase_) {
    case phase::gather:
      if (child_ != tree_.children()) {
        out.kind = step_kind::receive;
        out.peer = tree_.rank_of(tree_.child(child_).position);
        out.edge = static_cast<std::uint32_t>(child_++);
        here_.set(on.emit(out, here_.at()));  // so the last one is behind them all
        return true;
      }
      if (tree_.is_root()) return release(out, on);
      out.kind = step_kind::send;
      out.peer = tree_.parent();
      out.edge = static_cast<std::uint32_t>(tree_.index());
      on.emit(out, here_.at());
      phase_ = phase::hear;
      return true;
    case phase::hear:
      out.kind = step_kind::receive;
      out.round = 1;
      out.peer = tree_.parent();
      out.edge = down_edge_;
      here_.set(on.emit(out));
      phase_ = phase::release;
      return true;
    default: return release(out, on);
  }
}

/// The children with the largest subtrees come first.
bool tree_barrier::release(schedule::step& out, schedule::tape& on) {
  phase_ = phase::release;
  if (child_ == 0) return false;
  out.kind = step_kind::send;
  out.round = 1;
  out.peer = tree_.rank_of(tree_.child(--child_).position);
  out.edge = down_edge_;
  here_.pass(on.emit(out, here_.at()));
  return true;
}

}  // namespace upwash::collective
