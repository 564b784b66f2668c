// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/detail/agreement.hpp"

#include <fmt/format.h>

#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

void refuse(const team& members, const std::string& what) {
  throw error(error_kind::argument, fmt::format("rank {}: {}", members.here().rank(), what));
}

bool same_at_all(const team& members, std::span<const std::uint64_t> values) {
  // The largest of each value, and of its complement: so the smallest.
  std::vector<std::uint64_t> most(values.begin(), values.end());
  for (const std::uint64_t each : values) most.push_back(~each);
  control::all_reduce(members, most, control::fold::most);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (most[i] != ~most[values.size() + i]) return false;
  }
  return true;
}

}  // namespace upwash::detail
