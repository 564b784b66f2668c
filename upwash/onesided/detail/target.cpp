// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/detail/target.hpp"

#include <fmt/format.h>

#include <string>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"

namespace upwash::detail {
namespace {

[[noreturn]] void refuse(const job& here, const transfer_call& call, const std::string& why) {
  throw error(error_kind::argument,
              fmt::format("rank {}: {} rank {}: {}", here.rank(), call.name, call.at.rank(), why));
}

/// What is wrong with a place that is not known to be right, or the reason not to know yet.
void check_place(job& here, const transfer_call& call, const footprint& size) {
  if (!call.at) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} a null pointer; give one into a region (region::at)",
                            here.rank(), call.name));
  }
  if (call.at.rank() >= here.size()) {
    refuse(here, call, fmt::format("the job has ranks 0 to {}", here.size() - 1));
  }
  region_table& regions = direct_access::regions(here);
  region_state* region = regions.find(call.at.region_bits());
  if (region == nullptr) {
    refuse(here, call,
           fmt::format("the pointer with offset {} names a region that this rank is no "
                       "member of, or that was freed",
                       call.at.offset()));
  }
  const part* known = regions.fetched(*region, call.at.rank());
  const std::size_t most = call.at.rank() == here.rank() ? region->own.size
                           : known != nullptr            ? known->size
                                                         : region->most_bytes;
  const std::uint64_t offset = call.at.offset();
  if (offset > most || size.remote_extent > most - offset) {
    refuse(here, call,
           fmt::format("a layout that reaches over {} bytes from offset {} on leaves the {} bytes "
                       "that are there",
                       size.remote_extent, offset, most));
  }
}

}  // namespace

transfer_target target_of(job& here, const transfer_call& call, const layout& laid) {
  transfer_target made;
  if (!measure(laid, made.size)) {
    refuse(here, call, fmt::format("the layout is {}", problem_of(laid)));
  }
  if (made.size.local_extent > call.local_bytes) {
    refuse(here, call,
           fmt::format("a layout that reaches over {} bytes of this rank's memory leaves the {} "
                       "bytes of the span that was given",
                       made.size.local_extent, call.local_bytes));
  }
  region_table& regions = direct_access::regions(here);
  made.direct = regions.direct(call.at.rank(), call.at.region_bits(), call.at.offset(),
                               made.size.remote_extent);
  if (made.direct != nullptr) [[likely]]
    return made;
  check_place(here, call, made.size);
  if (call.at.rank() == here.rank()) {
    made.direct = regions.find(call.at.region_bits())->own.base + call.at.offset();
  }
  return made;
}

const conduit::peer_capabilities& abilities_towards(job& here, int rank) {
  const conduit::endpoint& endpoint = host(here).endpoint();
  const conduit::capabilities& can = endpoint.describe();
  if (can.uniform()) return can.peers[0];
  return can.of(conduit::nearness_of(endpoint.place(here.rank()), endpoint.place(rank)));
}

void fetch_key(job& here, global_ptr<std::byte> at) {
  if (abilities_towards(here, at.rank()).direct_access) get(here, at, {}, implicit);
}

}  // namespace upwash::detail
