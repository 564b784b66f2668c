// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/dissemination_barrier.hpp"

namespace upwash::collective {

bool dissemination_barrier::next(schedule::step& out, schedule::tape& on) {
  if (heard_ && distance_ >= ranks_) return false;
  out.edge = round_;
  out.round = round_;
  heard_ = !heard_;
  if (!heard_) {
    out.kind = schedule::step_kind::send;
    out.peer = static_cast<int>((rank_ + distance_) % ranks_);
    on.emit(out, last_receive_);
    return true;
  }
  out.kind = schedule::step_kind::receive;
  out.peer = static_cast<int>((rank_ - distance_ + ranks_) % ranks_);
  last_receive_ = on.emit(out, last_receive_);
  distance_ *= 2;
  ++round_;
  return true;
}

}  // namespace upwash::collective
