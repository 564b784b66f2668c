// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/knomial_broadcast.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

knomial_broadcast::knomial_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                                     parameters chosen, bool in_place)
    : ranks_(ranks),
      root_(root),
      relative_((rank - root + ranks) % ranks),
      bytes_(bytes),
      segment_bytes_(chosen.segment_bytes == 0 ? std::max<std::uint64_t>(bytes, 1)
                                               : chosen.segment_bytes),
      radix_(chosen.radix),
      copies_(rank == root && !in_place) {
  // The weight of the last non-zero digit; for the root, one above every rank.
  while (reach_ < ranks_ && relative_ % (reach_ * radix_) == 0) reach_ *= radix_;
}

schedule::piece knomial_broadcast::segment() const noexcept {
  const std::uint64_t first = segment_index_ * segment_bytes_;
  return {buffer::output, first, std::min(segment_bytes_, bytes_ - first)};
}

int knomial_broadcast::rank_of(std::int64_t relative) const noexcept {
  return static_cast<int>((relative + root_) % ranks_);
}

std::uint32_t knomial_broadcast::window() const noexcept {
  // A segment's last send is as far behind its receive as there are children.
  std::uint32_t children = 1;
  for (std::int64_t weight = 1; weight < reach_; weight *= radix_) {
    children += static_cast<std::uint32_t>(radix_ - 1);
  }
  return children;
}

bool knomial_broadcast::next(schedule::step& out, schedule::tape& on) {
  while (!ended()) {
    if (next_of_segment(out, on)) return true;
  }
  return false;
}

bool knomial_broadcast::next_of_segment(schedule::step& out, schedule::tape& on) {
  if (!segment_open_ && begin_segment(out, on)) return true;
  if (next_child()) {
    out.kind = step_kind::send;
    out.peer = rank_of(relative_ + digit_ * weight_);
    out.edge = out.round = segment_index_;
    out.placed = true;
    out.left = out.into = segment();
    on.emit(out, have_);
    return true;
  }
  segment_open_ = false;
  ++segment_index_;
  return false;
}

schedule::repetition knomial_broadcast::repeats() const {
  knomial_broadcast ahead = *this;
  if (segment_open_ && ahead.next_child()) return {};
  const std::uint64_t next = std::uint64_t{segment_index_} + (segment_open_ ? 1 : 0);
  const std::uint64_t whole = bytes_ / segment_bytes_;
  return {.rounds = next < whole ? whole - next : 0};
}

/// Emits what brings a segment here: a receive, or the root's copy; false where it is already.
bool knomial_broadcast::begin_segment(schedule::step& out, schedule::tape& on) {
  segment_open_ = true;
  weight_ = reach_;
  digit_ = radix_ - 1;
  out.edge = out.round = segment_index_;
  out.into = segment();
  if (relative_ != 0) {
    out.kind = step_kind::receive;
    out.placed = true;
    out.peer = rank_of(relative_ - relative_ % (reach_ * radix_));
  } else if (copies_) {
    out.kind = step_kind::copy;
    out.left = out.into;
    out.left.of = buffer::input;
  } else {
    out = {};
    return false;
  }
  have_ = on.emit(out);
  return true;
}

/// The children with the largest subtrees come first.
bool knomial_broadcast::next_child() {
  do {
    if (digit_ + 1 < radix_) {
      ++digit_;
    } else {
      weight_ /= radix_;
      digit_ = 1;
    }
    if (weight_ == 0) return false;
  } while (relative_ + digit_ * weight_ >= ranks_);
  return true;
}

}  // namespace upwash::collective
