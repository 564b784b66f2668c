// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/tree_reduce.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

namespace {

constexpr std::uint64_t most_edges = std::uint64_t{1} << 31U;

std::uint64_t whole_elements(std::uint64_t segment, std::uint64_t bytes, std::uint64_t element) {
  if (segment == 0 || segment > bytes) segment = bytes;
  return std::max(segment - segment % element, element);
}

}  // namespace

tree_reduce::tree_reduce(int ranks, int rank, int root, std::uint64_t bytes,
                         std::uint32_t element_bytes, const parameters& chosen, result where)
    : tree_(chosen.shape, ranks, chosen.ordered ? 0 : root, rank),
      rank_(rank),
      root_(root),
      bytes_(bytes),
      segment_bytes_(whole_elements(chosen.segment_bytes, bytes, element_bytes)),
      segments_(static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, (bytes + segment_bytes_ - 1) / segment_bytes_))),
      where_(where) {
  const auto widest = static_cast<std::uint64_t>(model::tree_place::widest(chosen.shape, ranks));
  const std::uint64_t edges = std::max<std::uint64_t>(1, widest + (crosses() ? 1 : 0));
  edges_apart_ = edges * segments_ <= most_edges;
  edges_a_segment_ = edges_apart_ ? static_cast<std::uint32_t>(edges) : 1;
  const auto children = static_cast<std::uint64_t>(tree_.children());
  slots_ = static_cast<std::uint8_t>(std::min<std::uint64_t>(most_slots, children * segments_));
  const bool in_output = where == result::in_place || (rank == root && !crosses());
  const std::uint32_t sums = children == 0 || in_output ? 0 : children <= most_slots ? 2 : 1;
  sums_ = static_cast<std::uint8_t>(std::min(sums, segments_));
}

piece tree_reduce::segment(buffer of) const noexcept {
  const std::uint64_t first = segment_index_ * segment_bytes_;
  return {of, first, std::min(segment_bytes_, bytes_ - first)};
}

piece tree_reduce::contribution() const noexcept {
  return segment(where_ == result::in_place ? buffer::output : buffer::input);
}

piece tree_reduce::sum() const noexcept {
  const piece here = segment(buffer::output);
  if (sums_ == 0) return here;
  return {buffer::scratch, (std::uint64_t{slots_} + sum_) * segment_bytes_, here.bytes};
}

std::uint32_t tree_reduce::edge(int index) const noexcept {
  return segment_index_ * edges_a_segment_ +
         (edges_apart_ ? static_cast<std::uint32_t>(index) : 0U);
}

/// Slots of few children are used again some segments later.
std::uint32_t tree_reduce::segments_back() const noexcept {
  if (segments_ == 1 || tree_.is_leaf()) return 0;
  if (tree_.children() == 1) return most_slots;
  return tree_.children() <= static_cast<int>(most_slots) ? 2 : 1;
}

bool tree_reduce::next(schedule::step& out, schedule::tape& on) {
  while (!ended()) {
    if (next_of_segment(out, on)) return true;
  }
  return false;
}

bool tree_reduce::next_of_segment(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::begin) {
    child_ = 0;
    summed_ = have_ = schedule::never;
    phase_ = tree_.is_leaf() ? phase::hand_up : phase::receive;
  }
  switch (phase_) {
    case phase::receive:
      receive(out, on);
      phase_ = phase::combine;
      return true;
    case phase::combine:
      combine(out, on);
      phase_ = ++child_ == tree_.children() ? phase::hand_up : phase::receive;
      return true;
    case phase::hand_up:
      phase_ = phase::cross;
      if (hand_up(out, on)) return true;
      [[fallthrough]];
    case phase::cross:
      phase_ = phase::over;
      if (crosses() && cross(out, on)) return true;
      [[fallthrough]];
    default:
      phase_ = phase::begin;
      if (sums_ == 2) sum_ ^= 1U;
      ++segment_index_;
      return false;
  }
}

schedule::repetition tree_reduce::repeats() const {
  tree_reduce ahead = *this;
  schedule::step s;
  schedule::tape nowhere;
  const bool behind = phase_ != phase::begin;
  if (behind && ahead.next_of_segment(s, nowhere)) return {};
  const std::uint64_t next = std::uint64_t{segment_index_} + (behind ? 1 : 0);
  const std::uint64_t whole = bytes_ / segment_bytes_;
  const std::uint64_t from = segments_back() + 1;
  return {.from = from,
          .rounds = next + from < whole ? whole - next - from : 0,
          .edges = edges_a_segment_};
}

void tree_reduce::receive(schedule::step& out, schedule::tape& on) {
  out.kind = step_kind::receive;
  out.peer = tree_.rank_of(tree_.child(child_).position);
  out.edge = edge(child_);
  out.round = segment_index_;
  out.into = {buffer::scratch, slot_ * segment_bytes_, contribution().bytes};
  on.emit(out, freed_[slot_]);
}

/// What comes is of higher ranks than what is here, where the tree's root is rank 0.
void tree_reduce::combine(schedule::step& out, schedule::tape& on) {
  out.kind = step_kind::reduce;
  out.round = segment_index_;
  out.left = child_ == 0 ? contribution() : sum();
  out.right = {buffer::scratch, slot_ * segment_bytes_, out.left.bytes};
  out.into = sum();
  summed_ = on.emit(out, on.latest(), child_ == 0 ? sent_[sum_] : summed_);
  freed_[slot_] = summed_;
  slot_ = static_cast<std::uint8_t>((slot_ + 1U) % slots_);
}

/// False at the tree's root, but for one without any other rank.
bool tree_reduce::hand_up(schedule::step& out, schedule::tape& on) {
  if (tree_.is_root()) {
    have_ = summed_;
    if (!tree_.is_leaf() || where_ == result::in_place) return false;
    out.left = contribution();
    out.into = sum();
    have_ = on.emit(out);
    return true;
  }
  out.kind = step_kind::send;
  out.peer = tree_.parent();
  out.edge = edge(tree_.index());
  out.round = segment_index_;
  out.left = tree_.is_leaf() ? contribution() : sum();
  const schedule::mark sent = on.emit(out, summed_);
  if (sums_ != 0) sent_[sum_] = sent;
  if (where_ == result::in_place) have_ = sent;
  return true;
}

/// From the tree's root to the one that the result is for.
bool tree_reduce::cross(schedule::step& out, schedule::tape& on) {
  if (!tree_.is_root() && rank_ != root_) return false;
  out.edge = edge(static_cast<int>(edges_a_segment_) - 1);
  out.round = segment_index_;
  out.placed = where_ == result::at_root;
  out.into = segment(buffer::output);
  if (!tree_.is_root()) {
    out.kind = step_kind::receive;
    out.peer = tree_.root();
    have_ = on.emit(out, have_);
    return true;
  }
  out.kind = step_kind::send;
  out.peer = root_;
  out.left = sum();
  const schedule::mark sent = on.emit(out, summed_);
  if (sums_ != 0) sent_[sum_] = sent;
  if (where_ == result::in_place) have_ = sent;
  return true;
}

}  // namespace upwash::collective
