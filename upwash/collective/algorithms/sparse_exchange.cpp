// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/sparse_exchange.hpp"

#include "upwash/schedule/sequence.hpp"

namespace upwash::collective {

using schedule::step_kind;

bool sparse_exchange::next(schedule::step& out, schedule::tape& on) {
  switch (phase_) {
    case phase::open:
      out.kind = step_kind::collect;
      on.emit(out);
      phase_ = phase::send;
      return true;
    case phase::send:
      if (sent_ < on.given(0).size()) {
        send(out, on);
        return true;
      }
      phase_ = phase::barrier;
      [[fallthrough]];
    case phase::barrier:
      if (who_ != senders::known && barrier_.next(out, on)) {
        schedule::place_behind_all(out, {.first_edge = 1, .first_round = 1}, all_there_, on);
        return true;
      }
      close(out, on);
      phase_ = phase::end;
      return true;
    case phase::end: break;
  }
  return false;
}

void sparse_exchange::send(schedule::step& out, schedule::tape& on) {
  const detail::given_messages messages(on, what_);
  messages.check_arrays();
  messages.check(sent_, ranks_);
  out.kind = step_kind::send;
  out.acknowledged = who_ != senders::known;
  out.peer = messages.destination(sent_);
  out.left = messages.data(sent_);
  on.emit(out);
  ++sent_;
}

void sparse_exchange::close(schedule::step& out, schedule::tape& on) {
  out.kind = step_kind::close;
  out.after_all = true;
  out.counted = who_ != senders::unknown;
  out.acknowledged = who_ == senders::checked;
  if (out.counted) out.value = on.given(3).size();
  out.round = who_ == senders::known ? 0 : 1 + dissemination_barrier::rounds(ranks_);
  on.emit(out);
}

}  // namespace upwash::collective
