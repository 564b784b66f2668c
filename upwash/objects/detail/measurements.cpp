// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/measurements.hpp"

#include <algorithm>
#include <utility>

namespace upwash::objects {

calls_made::row& calls_made::place_of(const object_key& to) {
  const std::size_t mask = rows_.size() - 1;
  std::size_t at = to.hash() & mask;
  while (rows_[at].calls != 0 && rows_[at].to != to) at = (at + 1) & mask;
  return rows_[at];
}

void calls_made::add(const object_key& to, std::uint64_t bytes) {
  if (3 * used_ >= 2 * rows_.size()) {
    const std::vector<row> old = std::exchange(rows_, {});
    rows_.resize(std::max<std::size_t>(4, 2 * old.size()));
    for (const row& each : old) {
      if (each.calls != 0) place_of(each.to) = each;
    }
  }
  row& at = place_of(to);
  if (at.calls == 0) {
    at.to = to;
    ++used_;
  }
  ++at.calls;
  at.bytes += bytes;
}

}  // namespace upwash::objects
