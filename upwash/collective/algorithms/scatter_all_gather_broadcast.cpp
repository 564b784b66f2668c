// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/scatter_all_gather_broadcast.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

scatter_all_gather_broadcast::scatter_all_gather_broadcast(int ranks, int rank, int root,
                                                           std::uint64_t bytes,
                                                           const model::tree_shape& shape,
                                                           bool in_place)
    : tree_(shape, ranks, root, rank),
      bytes_(bytes),
      in_place_(in_place),
      children_left_(tree_.children()),
      takes_(ranks - tree_.size()) {
  // The ring brings the blocks of positions before, down to the end of the subtree.
  const auto next = static_cast<int>((std::int64_t{rank} + 1) % ranks);
  passes_ = ranks - model::tree_place(shape, ranks, root, next).size();
}

/// Blocks by position, so that those of a subtree lie one behind the other. The first ones are a
/// byte longer.
piece scatter_all_gather_broadcast::blocks(std::int64_t first, std::int64_t count) const noexcept {
  const auto parts = static_cast<std::uint64_t>(tree_.ranks());
  const auto begin_of = [&](std::int64_t block) {
    const auto b = static_cast<std::uint64_t>(block);
    return b * (bytes_ / parts) + std::min(b, bytes_ % parts);
  };
  return {buffer::output, begin_of(first), begin_of(first + count) - begin_of(first)};
}

bool scatter_all_gather_broadcast::next(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::begin) {
    phase_ = phase::scatter;
    if (begin(out, on)) return true;
  }
  if (phase_ == phase::scatter) {
    if (scatter(out, on)) return true;
    phase_ = phase::pass;
    taken_[0] = taken_[1] = have_.at();
  }
  while (turn_ < std::max(passes_, takes_)) {
    if (phase_ == phase::pass) {
      phase_ = phase::take;
      if (pass(out, on)) return true;
    }
    phase_ = phase::pass;
    if (take(out, on)) {
      ++turn_;
      return true;
    }
    ++turn_;
  }
  return false;
}

/// What the scatter brings; the root has all, and sends it out of its input.
bool scatter_all_gather_broadcast::begin(schedule::step& out, schedule::tape& on) {
  if (tree_.is_root()) {
    if (in_place_) return false;
    out.left = {buffer::input, 0, bytes_};
    out.into = {buffer::output, 0, bytes_};
    on.emit(out);
    return true;
  }
  out.kind = step_kind::receive;
  out.placed = true;
  out.peer = tree_.parent();
  out.into = blocks(tree_.position(), tree_.size());
  have_.set(on.emit(out));
  return true;
}

void scatter_all_gather_broadcast::send(schedule::step& out, schedule::tape& on, int to,
                                        const piece& what) {
  out.kind = step_kind::send;
  out.placed = true;
  out.peer = tree_.rank_of(to);
  out.left = out.into = what;
  if (tree_.is_root() && !in_place_) out.left.of = buffer::input;
  have_.pass(on.emit(out, have_.at()));
}

bool scatter_all_gather_broadcast::scatter(schedule::step& out, schedule::tape& on) {
  if (children_left_ == 0) return false;
  const model::tree_place::subtree to = tree_.child(--children_left_);
  send(out, on, to.position, blocks(to.position, to.size));
  return true;
}

/// Turn t: block position - t goes on. It came the turn before, or with the scatter.
bool scatter_all_gather_broadcast::pass(schedule::step& out, schedule::tape& on) {
  if (turn_ >= passes_) return false;
  const std::int64_t ranks = tree_.ranks();
  out.edge = out.round = static_cast<std::uint32_t>(turn_) + 1;
  send(out, on, static_cast<int>((tree_.position() + 1) % ranks),
       blocks((tree_.position() - turn_ + ranks) % ranks, 1));
  return true;
}

/// Turn t: block position - t - 1 comes.
bool scatter_all_gather_broadcast::take(schedule::step& out, schedule::tape& on) {
  if (turn_ >= takes_) return false;
  const std::int64_t ranks = tree_.ranks();
  out.kind = step_kind::receive;
  out.placed = true;
  out.peer = tree_.rank_of(static_cast<int>((tree_.position() - 1 + ranks) % ranks));
  out.edge = out.round = static_cast<std::uint32_t>(turn_) + 1;
  out.into = blocks((tree_.position() - turn_ - 1 + ranks) % ranks, 1);
  // So whoever is behind it is behind the scatter.
  schedule::mark& lane = taken_[static_cast<unsigned>(turn_) & 1U];
  lane = on.emit(out, lane);
  have_.set(lane);
  return true;
}

}  // namespace upwash::collective
