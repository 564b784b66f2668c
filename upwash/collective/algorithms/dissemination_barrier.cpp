// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/dissemination_barrier.hpp"

namespace upwash::collective {

bool dissemination_barrier::next(schedule::step& out, schedule::tape& on) {
  if (turn_.ended()) return false;
  out.edge = turn_.edge();
  out.round = turn_.round();
  if (sends_) {
    if (turn_.begins_round()) round_before_ = last_receive_;
    out.kind = schedule::step_kind::send;
    out.peer = turn_.ahead();
    on.emit(out, round_before_);
  } else {
    out.kind = schedule::step_kind::receive;
    out.peer = turn_.behind();
    last_receive_ = on.emit(out, last_receive_);
    turn_.next();
  }
  sends_ = !sends_;
  return true;
}

}  // namespace upwash::collective
