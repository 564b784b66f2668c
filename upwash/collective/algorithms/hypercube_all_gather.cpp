// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/hypercube_all_gather.hpp"

#include <algorithm>

namespace upwash::collective {

using detail::emitted;
using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

hypercube_all_gather::hypercube_all_gather(int ranks, int rank, std::uint64_t bytes, int zeta,
                                           bool in_place)
    : cube_(ranks),
      ranks_(ranks),
      rank_(rank),
      vertex_(cube_.vertex_of(rank)),
      zeta_(std::min(zeta, cube_.dimensions())),
      bytes_(bytes),
      in_place_(in_place) {}

int hypercube_all_gather::partner(int stage) const noexcept {
  if (stage < combining()) return vertex_ ^ (1 << stage);
  return vertex_ ^ ((stage - combining() + 1) << combining());
}

piece hypercube_all_gather::blocks(int first, int behind) const noexcept {
  return {buffer::output, static_cast<std::uint64_t>(first) * bytes_,
          static_cast<std::uint64_t>(behind - first) * bytes_};
}

piece hypercube_all_gather::held(int vertex, int stage) const noexcept {
  const int level = std::min(stage, combining());
  const int least = vertex >> level << level;
  return blocks(cube_.rank_of(least), cube_.rank_of(least + (1 << level)));
}

void hypercube_all_gather::send(schedule::step& out, schedule::tape& on, int peer,
                                const piece& left) {
  out.kind = step_kind::send;
  out.peer = peer;
  out.left = left;
  if (out.placed) {
    // Everything has the same place everywhere, but for the block that comes from an input.
    out.into = left.of == buffer::input ? blocks(rank_, rank_ + 1) : left;
    out.into.owner = peer;
  }
  on.emit(out, held_);
}

void hypercube_all_gather::receive(schedule::step& out, schedule::tape& on, int peer,
                                   const piece& into) {
  out.kind = step_kind::receive;
  out.peer = peer;
  out.into = into;
  // What comes last or straight to its end nobody passes on, but to a folded rank.
  const int stage = round() - folds_in();
  const bool passed_on = stage < combining() && stage + 1 < stages();
  came_ = on.emit(out, passed_on || cube_.has_folded(vertex_) ? came_ : schedule::never);
}

emitted hypercube_all_gather::act(int part, schedule::step& out, schedule::tape& on) {
  const int stage = round() - folds_in();
  const bool first = stage < 0;
  const bool last = stage == stages();
  out.edge = out.round = static_cast<std::uint32_t>(round());
  out.placed = part != 0 && !(last && in_place_);
  if (cube_.is_folded(rank_)) return act_folded(part, out, on);
  if (part == 0) {
    if (round() != 0 || in_place_) return emitted::nothing;
    out.left = {buffer::input, 0, bytes_};
    out.into = blocks(rank_, rank_ + 1);
    came_ = on.emit(out);
    return emitted::one;
  }
  if ((first || last) && (!cube_.has_folded(vertex_) || first != (part == 2))) {
    return emitted::nothing;
  }
  if (first) {
    receive(out, on, rank_ + 1, blocks(rank_ + 1, rank_ + 2));
  } else if (part == 1) {
    if (stage <= combining() || last) held_ = came_;
    const piece all = blocks(0, ranks_);
    send(out, on, last ? rank_ + 1 : cube_.rank_of(partner(stage)),
         last ? all : held(vertex_, stage));
  } else {
    receive(out, on, cube_.rank_of(partner(stage)), held(partner(stage), stage));
  }
  return emitted::one;
}

/// Gives its block in the first round, and gets all in the last, its own among them.
emitted hypercube_all_gather::act_folded(int part, schedule::step& out, schedule::tape& on) {
  if (round() == 0 && part == 1) {
    send(out, on, rank_ - 1,
         in_place_ ? blocks(rank_, rank_ + 1) : piece{buffer::input, 0, bytes_});
    if (in_place_) came_ = on.latest();  // what comes overwrites it
  } else if (round() + 1 == rounds() && part == 2) {
    receive(out, on, rank_ - 1, blocks(0, ranks_));
  } else {
    return emitted::nothing;
  }
  return emitted::one;
}

}  // namespace upwash::collective
