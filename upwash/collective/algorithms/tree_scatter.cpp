// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/tree_scatter.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

bool tree_scatter::next(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::receive) {
    if (!tree_.is_root() && receive(out, on)) return true;
    phase_ = phase::send;
  }
  if (phase_ == phase::send) {
    if (send(out, on)) return true;
    phase_ = phase::keep;
  }
  if (phase_ == phase::end) return false;
  phase_ = phase::end;
  if (tree_.is_leaf() && !tree_.is_root()) return false;
  keep(out, on);
  return true;
}

/// Only the root has blocks in two parts: its children get them as two edges.
bool tree_scatter::receive(schedule::step& out, schedule::tape& on) {
  const bool below_root = tree_.parent() == tree_.root();
  const subtree_blocks mine(tree_, tree_.position(), tree_.size(), bytes_);
  const bool in_two = below_root && mine.in_two();
  out.kind = step_kind::receive;
  out.peer = tree_.parent();
  out.edge = in_second_ ? 1 : 0;
  if (tree_.is_leaf()) {
    out.placed = true;
    out.into = {buffer::output, 0, bytes_};
  } else if (in_two) {
    out.into = mine.part_at_child(in_second_);
  } else {
    out.into = {buffer::scratch, 0, scratch_bytes()};
  }
  have_.set(on.emit(out, have_.at()));
  if (!in_two || in_second_) {
    phase_ = phase::send;
    in_second_ = false;
  } else {
    in_second_ = true;
  }
  return true;
}

bool tree_scatter::send(schedule::step& out, schedule::tape& on) {
  if (children_left_ == 0) return false;
  const model::tree_place::subtree to = tree_.child(children_left_ - 1);
  const subtree_blocks blocks(tree_, to.position, to.size, bytes_);
  out.kind = step_kind::send;
  out.peer = tree_.rank_of(to.position);
  out.edge = in_second_ ? 1 : 0;
  if (tree_.is_root()) {
    out.left = blocks.part(in_second_, buffer::input);
  } else {
    out.left = {buffer::scratch,
                static_cast<std::uint64_t>(to.position - tree_.position()) * bytes_,
                static_cast<std::uint64_t>(to.size) * bytes_};
  }
  if (to.size == 1) {
    out.placed = true;
    out.into = {buffer::output, 0, bytes_};
  }
  have_.pass(on.emit(out, have_.at()));
  in_second_ = !in_second_ && tree_.is_root() && blocks.in_two();
  if (!in_second_) --children_left_;
  return true;
}

void tree_scatter::keep(schedule::step& out, schedule::tape& on) {
  out.left = {buffer::scratch, 0, bytes_};
  if (tree_.is_root()) {
    out.left = {buffer::input, static_cast<std::uint64_t>(tree_.root()) * bytes_, bytes_};
  }
  out.into = {buffer::output, 0, bytes_};
  on.emit(out, have_.at());
}

}  // namespace upwash::collective
