// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/doubling_exclusive_scan.hpp"

#include "upwash/schedule/sequence.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

bool doubling_exclusive_scan::next(schedule::step& out, schedule::tape& on) {
  const piece value{buffer::output, 0, bytes_};
  if (part_ == part::send) {
    part_ = part::receive;
    if (rank_ + 1 < ranks_) {
      out.kind = step_kind::send;
      out.placed = !in_place_;
      out.peer = rank_ + 1;
      out.left = {in_place_ ? buffer::output : buffer::input, 0, bytes_};
      if (out.placed) out.into = {buffer::output, 0, bytes_, out.peer};
      sent_ = on.emit(out);
      return true;
    }
  }
  if (rank_ == 0) return false;
  if (part_ == part::receive) {
    part_ = part::scan;
    out.kind = step_kind::receive;
    out.placed = !in_place_;
    out.peer = rank_ - 1;
    out.into = value;
    of_others_.enter(on.emit(out, in_place_ ? sent_ : schedule::never));
    return true;
  }
  if (!of_others_.next(out, on)) return false;
  schedule::place(out, {.among = {.first = 1}, .first_edge = 1, .first_round = 1}, on);
  return true;
}

}  // namespace upwash::collective
