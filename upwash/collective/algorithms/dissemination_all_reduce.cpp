// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/dissemination_all_reduce.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

bool dissemination_all_reduce::serves(int ranks, int radix) noexcept {
  std::int64_t power = 1;
  while (power < ranks) power *= radix;
  return power == ranks;
}

piece dissemination_all_reduce::slot(int digit) const noexcept {
  return {buffer::scratch, static_cast<std::uint64_t>(digit - 1) * bytes_, bytes_};
}

bool dissemination_all_reduce::next(schedule::step& out, schedule::tape& on) {
  const piece value{buffer::output, 0, bytes_};
  if (part_ == part::copy) {
    out.left = {buffer::input, 0, bytes_};
    out.into = value;
    value_ = on.emit(out);
    part_ = part::send;
    return true;
  }
  if (part_ == part::reduce) {
    out.kind = step_kind::reduce;
    out.round = turn_.round() - 1;
    out.left = slot(++combined_);
    out.right = out.into = value;
    // All that came has come, and all sends have read the value.
    out.after_all = combined_ == 1;
    value_ = on.emit(out, out.after_all ? schedule::never : value_);
    if (combined_ + 1 == radix_) part_ = part::send;
    return true;
  }
  if (turn_.ended()) return false;
  out.edge = turn_.edge();
  out.round = turn_.round();
  if (part_ == part::send) {
    out.kind = step_kind::send;
    out.peer = turn_.ahead();
    out.left = value;
    on.emit(out, value_);
    part_ = part::receive;
    return true;
  }
  out.kind = step_kind::receive;
  out.peer = turn_.behind();
  out.into = slot(turn_.digit());
  on.emit(out, turn_.round() == 0 ? schedule::never : value_);  // slots were read before
  turn_.next();
  combined_ = 0;
  part_ = turn_.begins_round() ? part::reduce : part::send;
  return true;
}

}  // namespace upwash::collective
