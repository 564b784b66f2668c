// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/ring_reduce_scatter.hpp"

namespace upwash::collective {

using detail::emitted;
using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

piece ring_reduce_scatter::block_of_input(std::int64_t b) const noexcept {
  const auto which = static_cast<std::uint64_t>((b % ranks_ + ranks_) % ranks_);
  return {buffer::input, which * bytes_, bytes_};
}

piece ring_reduce_scatter::slot(int round) const noexcept {
  return {buffer::scratch, (static_cast<unsigned>(round) & 1U) * bytes_, bytes_};
}

/// In round t block rank - t - 1 goes on, and block rank - t - 2 comes and is combined.
emitted ring_reduce_scatter::act(int part, schedule::step& out, schedule::tape& on) {
  out.edge = out.round = static_cast<std::uint32_t>(round());
  const piece result{buffer::output, 0, bytes_};
  if (ranks_ == 1) {
    if (part != 0) return emitted::nothing;
    out.left = block_of_input(0);
    out.into = result;
    on.emit(out);
    return emitted::one;
  }
  switch (part) {
    case 0:
      out.kind = step_kind::send;
      out.peer = (rank_ + 1) % ranks_;
      out.left = round() == 0 ? block_of_input(std::int64_t{rank_} - 1) : slot(round() - 1);
      sent_before_ = sent_;
      sent_ = on.emit(out, reduced_);
      break;
    case 1:
      out.kind = step_kind::receive;
      out.peer = (rank_ + ranks_ - 1) % ranks_;
      out.into = slot(round());
      // What was there went on in the round before.
      received_ = on.emit(out, round() < 2 ? schedule::never : sent_before_);
      break;
    default:
      out.kind = step_kind::reduce;
      out.left = slot(round());
      out.right = block_of_input(std::int64_t{rank_} - round() - 2);
      out.into = round() + 1 == rounds() ? result : slot(round());
      reduced_ = on.emit(out, received_);
  }
  return emitted::one;
}

}  // namespace upwash::collective
