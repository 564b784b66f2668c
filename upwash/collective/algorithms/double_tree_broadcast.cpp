// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/double_tree_broadcast.hpp"

#include <algorithm>
#include <bit>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

namespace {

/// The lowest bit of a place in the tree numbered in order: its height. Odd places are leaves.
int height_bit(int place) { return place & -place; }

/// The place above; 0: it is the top, the highest power of two.
int above(int place, int places) {
  const int bit = height_bit(place);
  const std::int64_t up = (std::int64_t{place} ^ bit) | (std::int64_t{bit} << 1U);
  return up <= places ? static_cast<int>(up) : place ^ bit;
}

/// The nearest place below whose number is higher; 0: none.
int below_upwards(int place, int places) {
  for (int bit = height_bit(place) >> 1U; bit != 0; bit >>= 1U) {
    if (bit <= places - place) return place + bit;
  }
  return 0;
}

}  // namespace

double_tree_broadcast::double_tree_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                                             std::uint64_t segment_bytes, bool in_place)
    : ranks_(ranks),
      root_(root),
      position_(static_cast<int>((std::int64_t{rank} - root + ranks) % ranks)),
      bytes_(bytes),
      segment_bytes_(
          std::max<std::uint64_t>(1, segment_bytes == 0 ? bytes / 2 + bytes % 2 : segment_bytes)),
      segments_(static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, bytes / segment_bytes_ + (bytes % segment_bytes_ != 0)))),
      in_place_(in_place) {
  here_[0] = links_in(false);
  here_[1] = links_in(true);
}

/// The rank at a place, 1 to P-1, of a tree. The second is the first one mirrored; where that would
/// have the same leaves, moved by one.
int double_tree_broadcast::rank_at(int place, bool second) const noexcept {
  const int places = ranks_ - 1;
  int position = place;
  if (second) {
    position = places % 2 == 0 ? places + 1 - place : (place == 1 ? places : place - 1);
  }
  return static_cast<int>((std::int64_t{position} + root_) % ranks_);
}

double_tree_broadcast::links double_tree_broadcast::links_in(bool second) const noexcept {
  const int places = ranks_ - 1;
  if (places == 0) return {};
  if (position_ == 0) {
    const auto top = static_cast<int>(std::bit_floor(static_cast<unsigned>(places)));
    return {.lower = rank_at(top, second)};
  }
  int place = position_;
  if (second) place = places % 2 == 0 ? places + 1 - place : place % places + 1;
  const int parent = above(place, places);
  const int half = height_bit(place) / 2;
  const int upper = below_upwards(place, places);
  return {.parent = parent == 0 ? root_ : rank_at(parent, second),
          .lower = half == 0 ? -1 : rank_at(place - half, second),
          .upper = upper == 0 ? -1 : rank_at(upper, second)};
}

piece double_tree_broadcast::segment() const noexcept {
  const std::uint64_t first = segment_index_ * segment_bytes_;
  return {buffer::output, first, std::min(segment_bytes_, bytes_ - first)};
}

bool double_tree_broadcast::next(schedule::step& out, schedule::tape& on) {
  for (; segment_index_ < segments_; ++segment_index_) {
    const links& here = here_[segment_index_ & 1U];
    if (phase_ == phase::receive) {
      phase_ = phase::lower;
      if (receive(out, on)) return true;
    }
    if (phase_ == phase::lower) {
      phase_ = phase::upper;
      if (here.lower >= 0) {
        send(out, on, here.lower);
        return true;
      }
    }
    phase_ = phase::receive;
    if (here.upper >= 0) {
      send(out, on, here.upper);
      ++segment_index_;
      return true;
    }
  }
  return false;
}

schedule::repetition double_tree_broadcast::repeats() const noexcept {
  const links& here = here_[segment_index_ & 1U];
  const bool last_was_lower = phase_ == phase::upper && here.upper < 0;
  const bool last_was_receive = phase_ == phase::lower && here.lower < 0 && here.upper < 0;
  const bool behind = last_was_lower || last_was_receive;
  const std::uint64_t next = std::uint64_t{segment_index_} + (behind ? 1 : 0);
  if ((phase_ != phase::receive && !behind) || next % 2 != 0) return {};
  const std::uint64_t whole = bytes_ / segment_bytes_;
  return {.rounds = next < whole ? (whole - next) / 2 : 0, .edges = 2};
}

/// What brings a segment here; false at the root where it is already.
bool double_tree_broadcast::receive(schedule::step& out, schedule::tape& on) {
  if (position_ == 0 && in_place_) return false;
  out.edge = out.round = segment_index_;
  out.into = segment();
  if (position_ == 0) {
    out.left = out.into;
    out.left.of = buffer::input;
  } else {
    out.kind = step_kind::receive;
    out.placed = true;
    out.peer = here_[segment_index_ & 1U].parent;
  }
  have_ = on.emit(out);
  return true;
}

void double_tree_broadcast::send(schedule::step& out, schedule::tape& on, int to) {
  out.kind = step_kind::send;
  out.placed = true;
  out.peer = to;
  out.edge = out.round = segment_index_;
  out.left = out.into = segment();
  on.emit(out, have_);
}

}  // namespace upwash::collective
