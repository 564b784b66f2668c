// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/central_counter_barrier.hpp"

namespace upwash::collective {

bool central_counter_barrier::next(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::end) return false;
  out.peer = 0;
  if (phase_ == phase::enter) {
    out.kind = schedule::step_kind::signal;
    on.emit(out);
    phase_ = phase::watch;
    return true;
  }
  out.kind = schedule::step_kind::await;
  out.value = static_cast<std::uint64_t>(ranks_);
  on.emit(out);  // it comes to P only with this rank's own
  phase_ = phase::end;
  return true;
}

}  // namespace upwash::collective
