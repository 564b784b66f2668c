// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/region.hpp"

namespace apps {

/// Puts `mine` at element `first` of every rank's part of a region of the world: one's own by a
/// copy, the others starting with the next rank, so that not all write to the same one at once.
/// Complete, with `mine` free again, after `here.quiet()`. P - 1 puts.
template <class T>
void put_to_all(upwash::job& here, const upwash::region& to, std::size_t first,
                std::span<const T> mine) {
  std::copy(mine.begin(), mine.end(), to.mine_as<T>().begin() + static_cast<std::ptrdiff_t>(first));
  for (int step = 1; step < here.size(); ++step) {
    const int peer = (here.rank() + step) % here.size();
    upwash::put(here, to.at<T>(peer, first), mine, upwash::implicit);
  }
}

}  // namespace apps
