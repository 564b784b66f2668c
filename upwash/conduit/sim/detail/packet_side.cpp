// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/packet_side.hpp"

#include <algorithm>

namespace upwash::conduit::sim {

packet_side::packet_side(const sim_options& options)
    : on_(options.through),
      carrier_(*on_, simulator::parameters_of(options.on, *on_), options.ranks,
               std::min(options.on.ranks_in(level_kind::node), options.ranks), options.seed) {}

bool packet_side::run(duration until) {
  return carrier_.run(until, [](std::uint64_t id, duration at) {
    parcel& what = *reinterpret_cast<parcel*>(id);
    what.came(what, at);
  });
}

}  // namespace upwash::conduit::sim
