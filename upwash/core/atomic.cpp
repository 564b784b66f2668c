// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/atomic.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

request atomic_slow(job& here, global_ptr<std::byte> at, const conduit::atomic_operation& what,
                    std::uint64_t* old) {
  if (at.offset() % what.width != 0) {
    throw error(error_kind::argument,
                fmt::format("rank {}: an atomic on {} bytes at offset {}, which is not a multiple "
                            "of {}",
                            here.rank(), what.width, at.offset(), what.width));
  }
  ++host(here).counters().atomics;
  if (std::byte* word = direct_atomic(here, at, what.width)) {
    const std::uint64_t seen = apply_atomic(word, what);
    if (old != nullptr) *old = seen;
    return {};
  }
  transfer moving;
  moving.what = transfer::kind::atomic;
  moving.at = {at.rank(), at.region_bits(), at.offset()};
  moving.bytes = what.width;
  moving.atomic = what;
  moving.old = old;
  request made = request_access::make(
      here, 1, {.operation = "atomic", .peer = at.rank(), .bytes = what.width});
  job_access::state(here).memory.start(moving, {&request_access::counter(made), nullptr, nullptr},
                                       {});
  return made;
}

std::uint64_t atomic_wait(job& here, global_ptr<std::byte> at,
                          const conduit::atomic_operation& what) {
  std::uint64_t old = 0;
  atomic_slow(here, at, what, &old).wait();
  return old;
}

}  // namespace upwash::detail
