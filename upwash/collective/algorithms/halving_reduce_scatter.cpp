// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/halving_reduce_scatter.hpp"

namespace upwash::collective {

using detail::emitted;
using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

halving_reduce_scatter::halving_reduce_scatter(int ranks, int rank, std::uint64_t bytes)
    : cube_(ranks), ranks_(ranks), rank_(rank), vertex_(cube_.vertex_of(rank)), bytes_(bytes) {}

std::uint64_t halving_reduce_scatter::all_bytes() const noexcept {
  return static_cast<std::uint64_t>(ranks_) * bytes_;
}

std::uint64_t halving_reduce_scatter::room() const noexcept {
  return cube_.folded() == 0 ? static_cast<std::uint64_t>(ranks_ / 2) * bytes_ : all_bytes();
}

std::uint64_t halving_reduce_scatter::scratch_bytes() const noexcept {
  return ranks_ == 1 ? 0 : all_bytes() + 2 * room();
}

piece halving_reduce_scatter::left_to(int vertex, int stage) const noexcept {
  const int free_bits = cube_.dimensions() - stage;
  const int least = vertex >> free_bits << free_bits;
  const auto first = static_cast<std::uint64_t>(cube_.rank_of(least));
  const auto behind = static_cast<std::uint64_t>(cube_.rank_of(least + (1 << free_bits)));
  return {combined_ ? buffer::scratch : buffer::input, first * bytes_, (behind - first) * bytes_};
}

/// Parts: send, receive, combine, keep.
emitted halving_reduce_scatter::act(int part, schedule::step& out, schedule::tape& on) {
  out.edge = out.round = static_cast<std::uint32_t>(round());
  if (ranks_ == 1) {
    if (part != 3) return emitted::nothing;
    out.left = {buffer::input, 0, bytes_};
    out.into = {buffer::output, 0, bytes_};
    on.emit(out);
    return emitted::one;
  }
  if (cube_.is_folded(rank_)) return act_folded(part, out, on);
  const int stage = round() - folds();
  if (stage == cube_.dimensions()) return fold_out(part, out, on);
  const bool folds_in = stage < 0;
  if (part == 3 || (folds_in && (part == 0 || !cube_.has_folded(vertex_)))) {
    return emitted::nothing;
  }
  exchange(part, stage, out, on);
  return emitted::one;
}

/// With the partner of a stage, or, before the first, only from the folded rank.
void halving_reduce_scatter::exchange(int part, int stage, schedule::step& out,
                                      schedule::tape& on) {
  const bool folds_in = stage < 0;
  const int partner = folds_in ? 0 : vertex_ ^ (1 << (cube_.dimensions() - 1 - stage));
  const auto parity = static_cast<unsigned>(round()) & 1U;
  const piece kept = left_to(vertex_, stage + 1);
  const piece came{buffer::scratch, all_bytes() + parity * room(), kept.bytes};
  out.peer = folds_in ? rank_ + 1 : cube_.rank_of(partner);
  if (part == 0) {
    out.kind = step_kind::send;
    out.left = left_to(partner, stage + 1);
    on.emit(out, value_);
  } else if (part == 1) {
    out.kind = step_kind::receive;
    out.into = came;
    received_ = on.emit(out, free_[parity]);
  } else {
    const bool last = stage + 1 == cube_.dimensions() && !cube_.has_folded(vertex_);
    out.kind = step_kind::reduce;
    out.peer = schedule::own;
    out.left = kept;
    out.right = came;
    out.into =
        last ? piece{buffer::output, 0, bytes_} : piece{buffer::scratch, kept.offset, kept.bytes};
    value_ = free_[parity] = on.emit(out, received_, value_);
    combined_ = true;
  }
}

emitted halving_reduce_scatter::act_folded(int part, schedule::step& out, schedule::tape& on) {
  out.peer = rank_ - 1;
  if (round() == 0 && part == 0) {
    out.kind = step_kind::send;
    out.left = {buffer::input, 0, all_bytes()};
  } else if (round() + 1 == rounds() && part == 1) {
    out.kind = step_kind::receive;
    out.placed = true;
    out.into = {buffer::output, 0, bytes_};
  } else {
    return emitted::nothing;
  }
  on.emit(out);
  return emitted::one;
}

emitted halving_reduce_scatter::fold_out(int part, schedule::step& out, schedule::tape& on) {
  if (!cube_.has_folded(vertex_) || (part != 0 && part != 3)) return emitted::nothing;
  const int owner = part == 0 ? rank_ + 1 : rank_;
  out.left = {buffer::scratch, static_cast<std::uint64_t>(owner) * bytes_, bytes_};
  out.into = {buffer::output, 0, bytes_};
  if (part == 0) {
    out.kind = step_kind::send;
    out.placed = true;
    out.peer = out.into.owner = owner;
  }
  on.emit(out, value_);
  return emitted::one;
}

}  // namespace upwash::collective
