// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/cube_all_reduce.hpp"

namespace upwash::collective {

using detail::emitted;
using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

cube_all_reduce::cube_all_reduce(int ranks, int rank, std::uint64_t elements,
                                 std::uint64_t element_bytes, exchanges what, bool in_place)
    : cube_(ranks),
      rank_(rank),
      vertex_(cube_.vertex_of(rank)),
      elements_(elements),
      element_bytes_(element_bytes),
      what_(what),
      in_place_(in_place) {}

int cube_all_reduce::stages() const noexcept {
  return what_ == exchanges::halves ? 2 * cube_.dimensions() : cube_.dimensions();
}

std::uint64_t cube_all_reduce::room() const noexcept {
  if (what_ == exchanges::whole_vectors || cube_.folded() != 0) return elements_ * element_bytes_;
  return (elements_ - elements_ / 2) * element_bytes_;
}

piece cube_all_reduce::all() const noexcept {
  return {buffer::output, 0, elements_ * element_bytes_};
}

piece cube_all_reduce::share(int vertex, int level) const noexcept {
  if (what_ == exchanges::whole_vectors) return all();
  std::uint64_t first = 0;
  std::uint64_t count = elements_;
  for (int l = 0; l < level; ++l) {
    const std::uint64_t upper = count / 2;
    const bool is_upper = ((vertex >> l) & 1) != 0;
    if (is_upper) first += count - upper;
    count = is_upper ? upper : count - upper;
  }
  return {buffer::output, first * element_bytes_, count * element_bytes_};
}

void cube_all_reduce::send(schedule::step& out, schedule::tape& on, int peer, const piece& what) {
  out.kind = step_kind::send;
  out.peer = peer;
  out.left = what;
  sent_ = on.emit(out, value_);
}

void cube_all_reduce::receive_to_combine(schedule::step& out, schedule::tape& on, int peer,
                                         std::uint64_t bytes) {
  const auto parity = static_cast<unsigned>(round()) & 1U;
  out.kind = step_kind::receive;
  out.peer = peer;
  out.into = {buffer::scratch, parity * room(), bytes};
  received_ = on.emit(out, free_[parity]);
}

void cube_all_reduce::reduce(schedule::step& out, schedule::tape& on, const piece& what,
                             bool from_left) {
  const auto parity = static_cast<unsigned>(round()) & 1U;
  const piece came{buffer::scratch, parity * room(), what.bytes};
  out.kind = step_kind::reduce;
  out.left = from_left ? came : what;
  out.right = from_left ? what : came;
  out.into = what;
  // Behind its send, if there is one: so whoever is behind the last reduction is behind every send.
  value_ = free_[parity] = on.emit(out, received_, sent_ == schedule::never ? value_ : sent_);
  sent_ = schedule::never;
}

emitted cube_all_reduce::act(int part, schedule::step& out, schedule::tape& on) {
  out.edge = out.round = static_cast<std::uint32_t>(round());
  if (cube_.is_folded(rank_)) return act_folded(part, out, on);
  if (part == 0) {
    if (round() != 0 || in_place_) return emitted::nothing;
    out.left = all();
    out.left.of = buffer::input;
    out.into = all();
    value_ = on.emit(out);
    return emitted::one;
  }
  const int stage = round() - folds();
  if (stage < 0) return fold_in(part, out, on);
  if (stage == stages()) return fold_out(part, out, on);
  if (stage < cube_.dimensions()) return combine(part, stage, out, on);
  return gather(part, stages() - 1 - stage, out, on);
}

emitted cube_all_reduce::act_folded(int part, schedule::step& out, schedule::tape& on) {
  if (round() == 0 && part == 1) {
    piece own = all();
    if (!in_place_) own.of = buffer::input;
    send(out, on, rank_ - 1, own);
    if (in_place_) value_ = sent_;  // the result overwrites it
    return emitted::one;
  }
  if (round() + 1 != rounds() || part != 2) return emitted::nothing;
  out.kind = step_kind::receive;
  out.placed = !in_place_;
  out.peer = rank_ - 1;
  out.into = all();
  on.emit(out, value_);
  return emitted::one;
}

emitted cube_all_reduce::fold_in(int part, schedule::step& out, schedule::tape& on) {
  if (!cube_.has_folded(vertex_) || part == 1) return emitted::nothing;
  if (part == 2) {
    receive_to_combine(out, on, rank_ + 1, all().bytes);
  } else {
    reduce(out, on, all(), false);
  }
  return emitted::one;
}

emitted cube_all_reduce::fold_out(int part, schedule::step& out, schedule::tape& on) {
  if (!cube_.has_folded(vertex_) || part != 1) return emitted::nothing;
  out.placed = !in_place_;
  if (out.placed) {
    out.into = all();
    out.into.owner = rank_ + 1;
  }
  send(out, on, rank_ + 1, all());
  return emitted::one;
}

emitted cube_all_reduce::combine(int part, int level, schedule::step& out, schedule::tape& on) {
  const int partner = vertex_ ^ (1 << level);
  const piece kept = share(vertex_, level + 1);
  if (part == 1) {
    send(out, on, cube_.rank_of(partner), share(partner, level + 1));
  } else if (part == 2) {
    receive_to_combine(out, on, cube_.rank_of(partner), kept.bytes);
  } else {
    reduce(out, on, kept, partner < vertex_);
  }
  return emitted::one;
}

/// The results of the other half of what was one at this level.
emitted cube_all_reduce::gather(int part, int level, schedule::step& out, schedule::tape& on) {
  if (part == 3) return emitted::nothing;
  const int partner = vertex_ ^ (1 << level);
  if (part == 1) {
    send(out, on, cube_.rank_of(partner), share(vertex_, level + 1));
    return emitted::one;
  }
  out.kind = step_kind::receive;
  out.peer = cube_.rank_of(partner);
  out.into = share(partner, level + 1);
  value_ = on.emit(out, value_);
  return emitted::one;
}

}  // namespace upwash::collective
