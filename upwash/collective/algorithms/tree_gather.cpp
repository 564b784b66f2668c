// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/tree_gather.hpp"

#include <array>

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

bool tree_gather::next(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::receive) {
    if (child_ != tree_.children()) {
      receive(out, on);
      return true;
    }
    phase_ = phase::keep;
  }
  if (phase_ == phase::keep) {
    phase_ = tree_.is_root() ? phase::end : phase::send;
    if (tree_.is_root() || !tree_.is_leaf()) {
      keep(out, on);
      return true;
    }
  }
  if (phase_ == phase::end) return false;
  send(out, on);
  return true;
}

void tree_gather::receive(schedule::step& out, schedule::tape& on) {
  const model::tree_place::subtree from = tree_.child(child_);
  const subtree_blocks blocks(tree_, from.position, from.size, bytes_);
  out.kind = step_kind::receive;
  out.peer = tree_.rank_of(from.position);
  out.edge = in_second_ ? second_edge_ : static_cast<std::uint32_t>(child_);
  if (tree_.is_root()) {
    out.placed = true;
    out.into = blocks.part(in_second_, buffer::output);
  } else {
    out.into = {buffer::scratch,
                static_cast<std::uint64_t>(from.position - tree_.position()) * bytes_,
                static_cast<std::uint64_t>(from.size) * bytes_};
  }
  on.emit(out);
  in_second_ = !in_second_ && tree_.is_root() && blocks.in_two();
  if (!in_second_) ++child_;
}

void tree_gather::keep(schedule::step& out, schedule::tape& on) {
  out.left = {buffer::input, 0, bytes_};
  out.into = {buffer::scratch, 0, bytes_};
  if (tree_.is_root()) {
    out.into = {buffer::output, static_cast<std::uint64_t>(tree_.root()) * bytes_, bytes_};
  }
  kept_ = on.emit(out);
}

/// Only the root has blocks in two parts: its children send them as two edges.
void tree_gather::send(schedule::step& out, schedule::tape& on) {
  const subtree_blocks mine(tree_, tree_.position(), tree_.size(), bytes_);
  const bool below_root = tree_.parent() == tree_.root();
  const bool in_two = below_root && mine.in_two();
  out.kind = step_kind::send;
  out.peer = tree_.parent();
  out.edge = in_second_ ? second_edge_ : static_cast<std::uint32_t>(tree_.index());
  if (tree_.is_leaf()) {
    out.left = {buffer::input, 0, bytes_};
  } else if (in_two) {
    out.left = mine.part_at_child(in_second_);
  } else {
    out.left = {buffer::scratch, 0, scratch_bytes()};
  }
  if (below_root) {
    out.placed = true;
    out.into = mine.part(in_second_, buffer::output);
  }
  // Behind what was kept and, emitted just before it, all that came.
  std::array<schedule::mark, schedule::step::most_dependencies> here{};
  const auto came = static_cast<std::size_t>(tree_.children());
  out.after_all = came >= here.size();
  if (kept_ != schedule::never && !out.after_all) {
    for (std::size_t i = 0; i <= came; ++i) here[i] = kept_ - i;
  }
  on.emit(out, here[0], here[1], here[2], here[3]);
  phase_ = in_two && !in_second_ ? phase::send : phase::end;
  in_second_ = true;
}

}  // namespace upwash::collective
