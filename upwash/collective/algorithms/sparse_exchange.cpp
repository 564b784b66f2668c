// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/sparse_exchange.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/schedule/sequence.hpp"

namespace upwash::collective {

using schedule::buffer;
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
      if (barrier_.next(out, on)) {
        schedule::place_behind_all(out, {.first_edge = 1, .first_round = 1}, all_there_, on);
        return true;
      }
      out.kind = step_kind::close;
      out.after_all = true;
      out.round = 1 + dissemination_barrier::rounds(ranks_);
      on.emit(out);
      phase_ = phase::end;
      return true;
    case phase::end: break;
  }
  return false;
}

void sparse_exchange::send(schedule::step& out, schedule::tape& on) {
  const auto destinations = on.given(0);
  if (on.given(1).size() != destinations.size() || on.given(2).size() != destinations.size()) {
    throw error(
        error_kind::argument,
        fmt::format("many_to_many: {} destinations, {} lengths, {} offsets; give as many of "
                    "each",
                    destinations.size(), on.given(1).size(), on.given(2).size()));
  }
  if (destinations[sent_] >= static_cast<std::uint64_t>(ranks_)) {
    throw error(error_kind::argument,
                fmt::format("many_to_many: message {} goes to rank {}; the team has {} ranks",
                            sent_, destinations[sent_], ranks_));
  }
  out.kind = step_kind::send;
  out.acknowledged = true;
  out.peer = static_cast<int>(destinations[sent_]);
  out.left = {buffer::input, on.given(2)[sent_], on.given(1)[sent_]};
  on.emit(out);
  ++sent_;
}

}  // namespace upwash::collective
