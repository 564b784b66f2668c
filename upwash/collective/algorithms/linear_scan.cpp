// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/linear_scan.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

bool linear_scan::next(schedule::step& out, schedule::tape& on) {
  const piece came{buffer::scratch, 0, bytes_};
  const piece own{in_place_ ? buffer::output : buffer::input, 0, bytes_};
  const piece value{buffer::output, 0, bytes_};
  if (part_ == part::receive) {
    part_ = part::combine;
    if (rank_ != 0) {
      out.kind = step_kind::receive;
      out.peer = rank_ - 1;
      out.round = static_cast<std::uint32_t>(rank_ - 1);
      out.into = came;
      value_ = on.emit(out);
      return true;
    }
  }
  out.round = static_cast<std::uint32_t>(rank_);
  if (part_ == part::combine) {
    part_ = part::send;
    if (rank_ != 0 || !in_place_) {
      out.kind = rank_ == 0 ? step_kind::copy : step_kind::reduce;
      out.left = rank_ == 0 ? own : came;
      if (rank_ != 0) out.right = own;
      out.into = value;
      value_ = on.emit(out, value_);
      return true;
    }
  }
  if (part_ == part::end || rank_ + 1 == ranks_) return false;
  part_ = part::end;
  out.kind = step_kind::send;
  out.peer = rank_ + 1;
  out.left = value;
  on.emit(out, value_);
  return true;
}

}  // namespace upwash::collective
