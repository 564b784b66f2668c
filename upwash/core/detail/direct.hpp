// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inline test whether a place is directly addressable, for puts, gets and atomics.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/core/detail/region_table.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

struct direct_access {
  static region_table& regions(job& here) noexcept { return *here.regions_; }
};

template <class T>
[[nodiscard]] inline std::byte* direct_put(job& here, global_ptr<T> to, std::size_t bytes) {
  std::byte* at =
      direct_access::regions(here).direct(to.rank(), to.region_bits(), to.offset(), bytes);
  if (at != nullptr) [[likely]] {
    ++here.counters().puts;
    here.counters().put_bytes += bytes;
  }
  return at;
}

template <class T>
[[nodiscard]] inline const std::byte* direct_get(job& here, global_ptr<T> from, std::size_t bytes) {
  const std::byte* at =
      direct_access::regions(here).direct(from.rank(), from.region_bits(), from.offset(), bytes);
  if (at != nullptr) [[likely]] {
    ++here.counters().gets;
    here.counters().get_bytes += bytes;
  }
  return at;
}

/// As `direct`, fetching the peer's key first when it is not known yet.
[[nodiscard]] std::byte* direct_address(job& here, global_ptr<std::byte> at, std::size_t bytes);

}  // namespace upwash::detail
