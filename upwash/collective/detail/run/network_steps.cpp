// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/network_steps.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/conduit/network_collective.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {

using schedule::step_kind;

namespace {

void left_network(conduit::completion& self) noexcept {
  slot& s = *static_cast<network_end&>(self).of;
  s.of->complete(s);
}

}  // namespace

bool join_network(job& here, operation& op, slot& s) {
  if (s.state == progress_of::joined) return false;
  conduit::endpoint& at = host(here).endpoint();
  if (!at.describe().network_collectives) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} by {} needs a network that carries out collectives; this "
                            "conduit ({}) has none: choose another algorithm",
                            here.rank(), op.how.agreed.operation, op.how.agreed.algorithm,
                            at.describe().name));
  }
  using part = conduit::network_collective;
  const schedule::step& what = s.what;
  const auto world_rank = [&op](int place) { return op.among.world_rank(place); };
  const part mine{.what = what.kind == step_kind::net_barrier     ? part::kind::barrier
                          : what.kind == step_kind::net_multicast ? part::kind::broadcast
                                                                  : part::kind::reduce,
                  .root = what.peer == schedule::own ? -1 : op.among.world_rank(what.peer),
                  .team = op.among.id(),
                  .run = op.run(),
                  .step = op.wire_edge(what.edge),
                  .members = op.among.size(),
                  .place = op.among.rank(),
                  .world_rank = world_rank,
                  .from = {op.source(what.left), what.left.bytes},
                  .into = {op.target(what.into), what.into.bytes},
                  .combine = op.buffers.combine.apply,
                  .context = op.buffers.combine.what_it_gets()};
  s.in_network.of = &s;
  s.in_network.tell = &left_network;
  if (at.join(here.rank(), mine, &s.in_network).what == conduit::outcome::retry) {
    op.stir(s);
    return false;
  }
  s.state = progress_of::joined;
  return true;
}

}  // namespace upwash::collective::detail
