// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/pairwise_reduce_scatter.hpp"

namespace upwash::collective {

using detail::emitted;
using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

piece pairwise_reduce_scatter::block_of_input(int b) const noexcept {
  return {buffer::input, static_cast<std::uint64_t>(b) * bytes_, bytes_};
}

piece pairwise_reduce_scatter::slot(int number) const noexcept {
  return {buffer::scratch, static_cast<std::uint64_t>(number) * bytes_, bytes_};
}

piece pairwise_reduce_scatter::below() const noexcept {
  return rank_ == 0 || round() == 0 ? block_of_input(rank_) : piece{buffer::output, 0, bytes_};
}

emitted pairwise_reduce_scatter::act(int part, schedule::step& out, schedule::tape& on) {
  out.edge = out.round = static_cast<std::uint32_t>(round());
  if (ranks_ == 1 && part != 3) return emitted::nothing;
  switch (part) {
    case 0: send(out, on); return emitted::one;
    case 1: receive(out, on); return emitted::one;
    case 2: return reduce(out, on);
    default: return finish(out, on);
  }
}

void pairwise_reduce_scatter::send(schedule::step& out, schedule::tape& on) {
  out.kind = step_kind::send;
  out.peer = static_cast<int>((std::int64_t{rank_} + round() + 1) % ranks_);
  out.left = block_of_input(out.peer);
  on.emit(out);
}

/// The first from above is what those that follow are combined with.
void pairwise_reduce_scatter::receive(schedule::step& out, schedule::tape& on) {
  const int parity = round() % 2;
  out.kind = step_kind::receive;
  out.peer = static_cast<int>((std::int64_t{rank_} + ranks_ - round() - 1) % ranks_);
  out.into = first_above() ? above() : slot(parity);
  received_ = on.emit(out, first_above() ? schedule::never : free_[parity]);
}

emitted pairwise_reduce_scatter::reduce(schedule::step& out, schedule::tape& on) {
  if (first_above()) {
    above_ = received_;
    return emitted::nothing;
  }
  const int parity = round() % 2;
  out.kind = step_kind::reduce;
  out.left = slot(parity);
  out.right = from_below() ? below() : above();
  out.into = from_below() ? piece{buffer::output, 0, bytes_} : above();
  if (from_below()) {
    below_ = free_[parity] = on.emit(out, received_, below_);
  } else {
    above_ = free_[parity] = on.emit(out, received_, above_);
    below_ = schedule::never;  // the last of those below had a slot before one of those above
  }
  return emitted::one;
}

emitted pairwise_reduce_scatter::finish(schedule::step& out, schedule::tape& on) {
  const bool has_above = rank_ + 1 < ranks_;
  if (round() + 1 != rounds() || (!has_above && ranks_ != 1)) return emitted::nothing;
  out.kind = has_above ? step_kind::reduce : step_kind::copy;
  out.left = below();
  if (has_above) out.right = above();
  out.into = {buffer::output, 0, bytes_};
  on.emit(out, below_, above_);
  return emitted::one;
}

}  // namespace upwash::collective
