// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/peer_traffic.hpp"

#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash {

peer_traffic traffic_towards(job& here, int rank) {
  return detail::job_access::state(here).memory.traffic_towards(rank);
}

peer_traffic traffic_towards_all(job& here) {
  return detail::job_access::state(here).memory.traffic_towards_all();
}

std::uint64_t arrived_from(job& here, int rank) {
  return detail::job_access::state(here).memory.arrived_from(rank);
}

void wait_arrived(job& here, std::uint64_t total) {
  struct query {
    const std::atomic<std::uint64_t>& arrived;
    std::uint64_t total;
  } const asked{detail::job_access::state(here).memory.arrived(), total};
  const auto there = [](const void* context) {
    const auto& of = *static_cast<const query*>(context);
    // Acquire: pairs with the count of a put, whose data is to be read.
    return of.arrived.load(std::memory_order_acquire) >= of.total;
  };
  host(here).wait(conduit::wait_target::predicate(there, &asked), {.operation = "wait for puts"});
}

request confirm(job& here, int rank) {
  detail::transfer what;
  what.what = detail::transfer::kind::confirm;
  what.at.rank = rank;
  request handle =
      detail::request_access::make(here, 1, {.operation = "confirm puts", .peer = rank});
  detail::job_access::state(here).memory.start(
      what, {}, {&detail::request_access::counter(handle), nullptr, nullptr});
  return handle;
}

}  // namespace upwash
