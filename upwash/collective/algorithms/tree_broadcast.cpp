// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/tree_broadcast.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

tree_broadcast::tree_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                               const parameters& chosen, bool in_place)
    : tree_(chosen.shape, ranks, root, rank),
      bytes_(bytes),
      segment_bytes_(chosen.segment_bytes == 0 ? std::max<std::uint64_t>(bytes, 1)
                                               : chosen.segment_bytes),
      copies_(rank == root && !in_place) {}

schedule::piece tree_broadcast::segment() const noexcept {
  const std::uint64_t first = segment_index_ * segment_bytes_;
  return {buffer::output, first, std::min(segment_bytes_, bytes_ - first)};
}

bool tree_broadcast::next(schedule::step& out, schedule::tape& on) {
  while (!ended()) {
    if (next_of_segment(out, on)) return true;
  }
  return false;
}

bool tree_broadcast::next_of_segment(schedule::step& out, schedule::tape& on) {
  if (!segment_open_ && begin_segment(out, on)) return true;
  if (children_left_ != 0) {
    out.kind = step_kind::send;
    out.peer = tree_.rank_of(tree_.child(--children_left_).position);
    out.edge = out.round = segment_index_;
    out.placed = placed_;
    out.left = segment();
    if (placed_) out.into = out.left;
    have_.pass(on.emit(out, have_.at()));
    return true;
  }
  segment_open_ = false;
  ++segment_index_;
  return false;
}

schedule::repetition tree_broadcast::repeats() const noexcept {
  if (segment_open_ && children_left_ != 0) return {};
  const std::uint64_t next = std::uint64_t{segment_index_} + (segment_open_ ? 1 : 0);
  const std::uint64_t whole = bytes_ / segment_bytes_;
  return {.rounds = next < whole ? whole - next : 0};
}

/// Emits what brings a segment here: a receive, or the root's copy; false where it is already.
bool tree_broadcast::begin_segment(schedule::step& out, schedule::tape& on) {
  segment_open_ = true;
  children_left_ = tree_.children();
  out.edge = out.round = segment_index_;
  out.into = segment();
  if (!tree_.is_root()) {
    out.kind = step_kind::receive;
    out.placed = placed_;
    out.peer = tree_.parent();
  } else if (copies_) {
    out.kind = step_kind::copy;
    out.left = out.into;
    out.left.of = buffer::input;
  } else {
    out = {};
    have_.set(from_);
    return false;
  }
  have_.set(on.emit(out, from_));
  return true;
}

}  // namespace upwash::collective
