// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/doubling_scan.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

bool doubling_scan::next(schedule::step& out, schedule::tape& on) {
  const piece value{buffer::output, 0, bytes_};
  if (phase_ == phase::copy) {
    out.kind = step_kind::copy;
    out.left = {buffer::input, 0, bytes_};
    out.into = value;
    value_ = on.emit(out);
    phase_ = phase::send;
    return true;
  }
  for (; distance_ < ranks_; distance_ *= 2, ++round_, phase_ = phase::send) {
    const unsigned parity = round_ & 1U;
    const piece slot{buffer::scratch, parity * bytes_, bytes_};
    out.edge = out.round = round_;
    if (phase_ == phase::send) {
      phase_ = phase::receive;
      sent_ = schedule::never;
      if (rank_ + distance_ < ranks_) {
        out.kind = step_kind::send;
        out.peer = static_cast<int>(rank_ + distance_);
        out.left = value;
        sent_ = on.emit(out, value_);
        return true;
      }
    }
    if (phase_ == phase::receive && rank_ >= distance_) {
      phase_ = phase::combine;
      out.kind = step_kind::receive;
      out.peer = static_cast<int>(rank_ - distance_);
      out.into = slot;
      received_ = on.emit(out, free_[parity]);
      return true;
    }
    if (phase_ == phase::combine) {
      out.kind = step_kind::reduce;
      out.left = slot;
      out.right = value;
      out.into = value;
      value_ = free_[parity] = on.emit(out, received_, sent_, value_);
      phase_ = phase::send;
      distance_ *= 2;
      ++round_;
      return true;
    }
  }
  return false;
}

}  // namespace upwash::collective
