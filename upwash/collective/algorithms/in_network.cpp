// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/in_network.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

namespace {

schedule::steps once(schedule::script& out, step_kind kind, piece from, piece into, int root) {
  switch (kind) {
    case step_kind::net_barrier: co_yield out.net_barrier(); break;
    case step_kind::net_multicast: co_yield out.net_multicast(root, from, into); break;
    default: co_yield out.net_reduce(root, from, into);
  }
}

}  // namespace

schedule::generator in_network(step_kind kind, std::uint64_t bytes, int root, bool in_place) {
  const piece from{in_place ? buffer::output : buffer::input, 0, bytes};
  const piece into{buffer::output, 0, bytes};
  return {{.window = 1}, [=](schedule::script& out) { return once(out, kind, from, into, root); }};
}

}  // namespace upwash::collective
