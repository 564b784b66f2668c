// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/step_runner.hpp"

#include <algorithm>

#include "upwash/collective/detail/run/network_steps.hpp"

namespace upwash::collective::detail {

using schedule::step_kind;

int step_runner::pass_through(operation& op) {
  int moved = collects_.advance_fetches(op);
  for (std::uint64_t i = op.base();;) {
    op.refill();
    i = std::max(i, op.base());
    if (i == op.next()) return moved;
    while ((i = op.take_open(i)) < op.next()) {
      if (advance(op, op.at(i))) ++moved;
      ++i;
    }
  }
}

/// Whether the step came further.
bool step_runner::advance(operation& op, slot& s) {
  switch (s.what.kind) {
    case step_kind::send: return edges_.send(op, s);
    case step_kind::receive: return edges_.receive(op, s);
    case step_kind::copy: return memory_.copy(op, s);
    case step_kind::reduce: return memory_.reduce(op, s);
    case step_kind::stage: return open_stage(op, s);
    case step_kind::collect: return collects_.open(op, s);
    case step_kind::close: return collects_.close(op, s);
    case step_kind::deliver: return collector::deliver(op, s);
    case step_kind::signal: return counters_.signal(op, s);
    case step_kind::await: return counters_.await(op, s);
    case step_kind::net_multicast:
    case step_kind::net_reduce:
    case step_kind::net_barrier: return join_network(here_, op, s);
  }
  return false;
}

bool step_runner::open_stage(operation& op, slot& s) {
  if (op.grows(s)) {
    op.refill();
    if (op.base() != s.index) {  // what moves there must not lose its place
      op.wait_for_all_before(s);
      return false;
    }
  }
  op.pass_stage(s);
  op.complete(s);
  return true;
}

}  // namespace upwash::collective::detail
