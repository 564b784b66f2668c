// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/common/block_exchange.hpp"

#include <numeric>

#include "upwash/collective/all_gather.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"

namespace apps {

block_exchange::block_exchange(upwash::job& here, const sparse::csr_matrix& rows,
                               std::string_view by)
    : world_(here.world()), by_(by) {
  if (by_ == ordinary) {
    owners_.resize(static_cast<std::size_t>(here.size()));
    std::iota(owners_.begin(), owners_.end(), 0);
    return;
  }
  owners_ = sparse::owners_of_columns(rows, here.size());
  near_ = upwash::neighborhood::from(world_, owners_);
  gather({}, {});
}

void block_exchange::gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  if (near_) {
    upwash::neighbor_all_gather(*near_, upwash::blocking, mine, all, {.scheme = by_});
  } else {
    upwash::all_gather(world_, upwash::blocking, mine, all);
  }
}

}  // namespace apps
