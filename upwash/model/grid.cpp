// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "upwash/base/error.hpp"

namespace upwash::model {
namespace {

constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// base^exponent, or a number of at least `enough` if that is less.
std::int64_t power_up_to(std::int64_t base, int exponent, std::int64_t enough) {
  std::int64_t product = 1;
  for (int i = 0; i < exponent && product < enough; ++i) product *= base;
  return product;
}

/// The least number whose power is at least `value`.
int ceil_root(int value, int degree) {
  int low = 1;
  for (int high = value; low < high;) {
    const int middle = low + (high - low) / 2;
    if (power_up_to(middle, degree, value) >= value) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

grid::grid(int ranks, std::span<const int> sizes) : ranks_(ranks) {
  bool sound = ranks >= 1 && !sizes.empty() && sizes.size() <= sizes_.size() &&
               std::all_of(sizes.begin(), sizes.end(), [](int size) { return size >= 1; });
  if (sound) {
    dimensions_ = static_cast<int>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
    std::int64_t slab = 1;
    for (const int size : sizes.first(sizes.size() - 1)) {
      slab = std::min<std::int64_t>(slab * size, std::numeric_limits<int>::max());
    }
    const std::int64_t filled = ranks_ - slab * below_last();
    sound = filled >= 1 && filled <= slab && (filled == slab || below_last() > 0);
    slab_ = static_cast<int>(slab);
    filled_ = sound ? static_cast<int>(filled) : 0;
  }
  if (!sound) {
    throw error(error_kind::argument,
                fmt::format("a grid of {} cannot hold {} ranks: give 1 to {} sizes of which all "
                            "slabs but the last are full, and 2 slabs or more if that is not",
                            fmt::join(sizes, " x "), ranks, most_dimensions));
  }
}

grid grid::near_cube(int ranks, int dimensions) {
  if (ranks < 1 || dimensions < 1 || dimensions > most_dimensions) {
    throw error(error_kind::argument,
                fmt::format("no grid of {} ranks in {} dimensions: give 1 rank or more, and 1 to "
                            "{} dimensions",
                            ranks, dimensions, most_dimensions));
  }
  for (int n = dimensions;; --n) {
    const int side = ceil_root(ranks, n);
    const std::int64_t slab = power_up_to(side, n - 1, ranks);
    if (slab >= ranks && n > 1) continue;
    cell sizes{};
    std::fill_n(sizes.begin(), n, side);
    sizes[at(n - 1)] = static_cast<int>(ceil_divide(ranks, slab));
    return grid(ranks, std::span(sizes).first(at(n)));
  }
}

grid::cell grid::cell_of(int rank) const noexcept {
  cell where{};
  for (int d = 0; d < last(); ++d) {
    where[at(d)] = rank % size(d);
    rank /= size(d);
  }
  where[at(last())] = rank;
  return where;
}

std::int64_t grid::stride(int dimension) const noexcept {
  std::int64_t product = 1;
  for (int d = 0; d < dimension; ++d) product *= size(d);
  return product;
}

std::int64_t grid::place_in_slab(const cell& where) const noexcept {
  std::int64_t place = 0;
  for (int d = last() - 1; d >= 0; --d) place = place * size(d) + where[at(d)];
  return place;
}

bool grid::is_hole(const cell& where) const noexcept {
  return where[at(last())] == below_last() && place_in_slab(where) >= filled_;
}

int grid::rank_of(const cell& where) const noexcept {
  return static_cast<int>(place_in_slab(where) + std::int64_t{slab_} * where[at(last())]);
}

int grid::line(const cell& through, int dimension) const noexcept {
  if (dimension == last()) {
    return place_in_slab(through) < filled_ ? size(dimension) : below_last();
  }
  if (through[at(last())] != below_last()) return size(dimension);
  cell first = through;
  first[at(dimension)] = 0;
  const std::int64_t left = filled_ - place_in_slab(first);
  if (left <= 0) return 0;
  return static_cast<int>(
      std::min<std::int64_t>(size(dimension), ceil_divide(left, stride(dimension))));
}

int grid::toward(const cell& from, int dimension, int coordinate) const noexcept {
  cell target = from;
  const int own = target[at(dimension)];
  target[at(dimension)] = coordinate;
  if (is_hole(target)) {
    if (dimension == last()) return -1;
    target[at(last())] = own % below_last();
  }
  return rank_of(target);
}

int grid::next_hop(int from, int to) const noexcept {
  const cell here = cell_of(from);
  const cell there = cell_of(to);
  for (int d = 0; d < dimensions_; ++d) {
    if (here[at(d)] != there[at(d)]) return toward(from, d, there[at(d)]);
  }
  return to;
}

int grid::senders_to_hole_above(const cell& where, int dimension) const noexcept {
  if (dimension == last() || where[at(last())] == below_last()) return 0;
  cell above = where;
  above[at(last())] = below_last();
  return is_hole(above) ? line(above, dimension) : 0;
}

int grid::senders(const cell& to, int dimension) const noexcept {
  const int for_hole = senders_to_hole_above(to, dimension);
  const int first = to[at(last())];
  return line(to, dimension) + (first < for_hole ? 1 + (for_hole - first - 1) / below_last() : 0);
}

int grid::sender(cell to, int dimension, int index) const noexcept {
  const int on_line = line(to, dimension);
  if (index < on_line) {
    to[at(dimension)] = index;
  } else {
    to[at(dimension)] = to[at(last())] + (index - on_line) * below_last();
    to[at(last())] = below_last();
  }
  return rank_of(to);
}

grid::arrivals grid::arrivals_from(const cell& to, int dimension, int coordinate) const noexcept {
  const int on_line = line(to, dimension);
  arrivals indices;
  if (coordinate < on_line) indices.on_line = coordinate;
  const int steps = coordinate - to[at(last())];
  if (coordinate < senders_to_hole_above(to, dimension) && steps >= 0 &&
      steps % below_last() == 0) {
    indices.for_hole = on_line + steps / below_last();
  }
  return indices;
}

int grid::before(const cell& like, int dimension, int coordinate) const noexcept {
  if (dimension == last()) return std::min(coordinate, line(like, dimension));
  // In the last slab the places low + step * u are taken for u < taken; the coordinate is u modulo
  // the size.
  const std::int64_t step = stride(dimension);
  std::int64_t low = 0;
  for (int d = dimension - 1; d >= 0; --d) low = low * size(d) + like[at(d)];
  const std::int64_t taken = low < filled_ ? ceil_divide(filled_ - low, step) : 0;
  const std::int64_t in_last = taken / size(dimension) * coordinate +
                               std::min<std::int64_t>(taken % size(dimension), coordinate);
  const std::int64_t per_slab = slab_ / step / size(dimension) * coordinate;
  return static_cast<int>(per_slab * below_last() + in_last);
}

int grid::beyond(const cell& like, int dimension) const noexcept {
  const int own = like[at(dimension)];
  return before(like, dimension, own + 1) - before(like, dimension, own);
}

}  // namespace upwash::model
