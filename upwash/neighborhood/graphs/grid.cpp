// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/graphs/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "upwash/base/error.hpp"

namespace upwash {

grid::grid(std::vector<int> sizes, std::vector<bool> periodic)
    : sizes_(std::move(sizes)), strides_(sizes_.size()), periodic_(std::move(periodic)) {
  if (periodic_.empty()) periodic_.resize(sizes_.size());
  if (periodic_.size() != sizes_.size()) {
    throw error(error_kind::argument,
                fmt::format("grid: {} dimensions and {} flags of rings; give one for each",
                            sizes_.size(), periodic_.size()));
  }
  std::int64_t all = 1;
  for (std::size_t i = sizes_.size(); i-- > 0;) {
    if (sizes_[i] < 1) {
      throw error(
          error_kind::argument,
          fmt::format("grid: dimension {} has size {}; it must be at least 1", i, sizes_[i]));
    }
    strides_[i] = static_cast<int>(all);
    all *= sizes_[i];
    if (all > std::numeric_limits<int>::max()) {
      throw error(error_kind::argument, "grid: more than 2^31 - 1 ranks");
    }
  }
  ranks_ = static_cast<int>(all);
}

grid grid::balanced(int ranks, int dimensions, bool periodic) {
  if (ranks < 1 || dimensions < 1) {
    throw error(error_kind::argument, fmt::format("grid: {} ranks in {} dimensions; both must be "
                                                  "at least 1",
                                                  ranks, dimensions));
  }
  std::vector<int> factors;
  for (int left = ranks, by = 2; left > 1; ++by) {
    if (by > left / by) by = left;
    for (; left % by == 0; left /= by) factors.push_back(by);
  }
  std::vector<int> sizes(static_cast<std::size_t>(dimensions), 1);
  for (auto each = factors.rbegin(); each != factors.rend(); ++each) {
    *std::min_element(sizes.begin(), sizes.end()) *= *each;
  }
  std::sort(sizes.rbegin(), sizes.rend());
  return grid(std::move(sizes), std::vector<bool>(static_cast<std::size_t>(dimensions), periodic));
}

int grid::coordinate(int rank, int dimension) const {
  return rank / strides_[static_cast<std::size_t>(dimension)] % size(dimension);
}

int grid::shifted(int rank, int dimension, int by) const {
  const int at = coordinate(rank, dimension);
  std::int64_t to = std::int64_t{at} + by;
  if (periodic(dimension)) {
    to = (to % size(dimension) + size(dimension)) % size(dimension);
  } else if (to < 0 || to >= size(dimension)) {
    return -1;
  }
  return rank + static_cast<int>(to - at) * strides_[static_cast<std::size_t>(dimension)];
}

int grid::way(int from, int to, int dimension) const {
  const int straight = coordinate(to, dimension) - coordinate(from, dimension);
  if (!periodic(dimension)) return straight;
  const int around = size(dimension);
  const int forwards = (straight + around) % around;
  return forwards <= around / 2 ? forwards : forwards - around;
}

/// How far it goes along each dimension, at most so far.
std::vector<grid::ways> grid::ways_within(int rank, int radius) const {
  if (radius < 0) {
    throw error(error_kind::argument,
                fmt::format("grid: radius {}; it must be at least 0", radius));
  }
  std::vector<ways> all;
  std::int64_t cells = 1;
  for (int i = 0; i < dimensions(); ++i) {
    ways along{-radius, radius};
    if (!periodic(i)) {
      const int at = coordinate(rank, i);
      along = {std::max(-radius, -at), std::min(radius, size(i) - 1 - at)};
    }
    cells *= std::int64_t{along.most} - along.least + 1;
    if (cells > most_around) {
      throw error(error_kind::argument,
                  fmt::format("grid: radius {} in {} dimensions: more than {} neighbours; give a "
                              "smaller radius",
                              radius, dimensions(), most_around));
    }
    all.push_back(along);
  }
  return all;
}

std::vector<int> grid::around(int rank, int radius) const {
  const std::vector<ways> within = ways_within(rank, radius);
  std::vector<int> all;
  std::vector<int> by;
  for (const ways& each : within) by.push_back(each.least);
  for (bool more = true; more;) {
    int to = rank;
    for (int i = 0; i < dimensions(); ++i) to = shifted(to, i, by[static_cast<std::size_t>(i)]);
    const bool stays = std::all_of(by.begin(), by.end(), [](int each) { return each == 0; });
    if (!stays) all.push_back(to);
    more = false;
    for (std::size_t i = by.size(); i-- > 0 && !more;) {
      more = ++by[i] <= within[i].most;
      if (!more) by[i] = within[i].least;
    }
  }
  return all;
}

}  // namespace upwash
