// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/rank_windows.hpp"

#include <algorithm>
#include <bit>

namespace upwash::schedule::detail {

void rank_windows::count(const step& emitted) noexcept {
  ++steps_;
  rounds_ = std::max(rounds_, emitted.round + 1);
  if (emitted.kind != step_kind::send) return;
  const std::uint64_t bytes = bytes_of(emitted);
  if (bytes == 0) return;
  edge_sizes_ |= std::uint64_t{1} << std::min<std::uint64_t>(std::bit_width(bytes - 1), 63);
}

}  // namespace upwash::schedule::detail
