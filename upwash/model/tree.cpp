// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/tree.hpp"

#include <algorithm>

namespace upwash::model {
namespace {

/// `size` positions from `first` on, in parts as even as can be; the last ones are the longer.
struct even_parts {
  int first;
  int parts;
  int each;
  int longer_from;  ///< the first part that has one more

  even_parts(int begin, int size, int most)
      : first(begin),
        parts(std::min(size, most)),
        each(size / parts),
        longer_from(parts - size % parts) {}

  [[nodiscard]] tree_place::subtree part(int i) const {
    const int longer_before = std::max(0, i - longer_from);
    return {first + i * each + longer_before, each + (i >= longer_from ? 1 : 0)};
  }
  [[nodiscard]] int part_of(int position) const {
    const int short_ones = longer_from * each;
    const int at = position - first;
    return at < short_ones ? at / each : longer_from + (at - short_ones) / (each + 1);
  }
};

}  // namespace

tree_place::tree_place(const tree_shape& shape, int ranks, int root, int rank)
    : shape_(shape),
      ranks_(ranks),
      root_(root),
      position_(static_cast<int>((std::int64_t{rank} - root + ranks) % ranks)) {
  if (shape.of == tree_shape::family::knomial) {
    find_in_knomial();
  } else {
    find_below(0, ranks);
  }
}

/// Goes down from the root, which heads all ranks.
void tree_place::find_below(int first, int size) noexcept {
  int most = shape_.k;
  while (first != position_ && most > 1) {
    const even_parts below(first + 1, size - 1, most);
    parent_ = first;
    index_ = below.part_of(position_);
    const subtree here = below.part(index_);
    first = here.position;
    size = here.size;
    if (shape_.of == tree_shape::family::fork) most = 1;
  }
  if (first != position_) {  // down a chain
    parent_ = position_ - 1;
    index_ = 0;
    size -= position_ - first;
  }
  if (shape_.of == tree_shape::family::fork && position_ != 0) shape_ = chain_tree();
  size_ = size;
  children_ = std::min(size_ - 1, shape_.k);
}

void tree_place::find_in_knomial() noexcept {
  const std::int64_t k = shape_.k;
  std::int64_t reach = 1;  // the weight of the last non-zero digit; for the root, above every rank
  int digits = 0;
  while (reach < ranks_ && position_ % (reach * k) == 0) {
    reach *= k;
    ++digits;
  }
  const std::int64_t end = std::min<std::int64_t>(position_ + reach, ranks_);
  size_ = static_cast<int>(end - position_);
  if (position_ != 0) {
    parent_ = static_cast<int>(position_ - position_ % (reach * k));
    index_ = static_cast<int>(digits * (k - 1) + position_ / reach % k - 1);
  }
  for (std::int64_t weight = 1; weight < size_; weight *= k) {
    children_ += static_cast<int>(std::min(k - 1, (size_ - 1) / weight));
  }
}

tree_place::subtree tree_place::child(int index) const noexcept {
  if (shape_.of != tree_shape::family::knomial) {
    return even_parts(position_ + 1, size_ - 1, shape_.k).part(index);
  }
  std::int64_t weight = 1;
  for (; index >= shape_.k - 1; index -= shape_.k - 1) weight *= shape_.k;
  const std::int64_t offset = (index + 1) * weight;
  return {static_cast<int>(position_ + offset), static_cast<int>(std::min(weight, size_ - offset))};
}

int tree_place::widest(const tree_shape& shape, int ranks) {
  return tree_place(shape, ranks, 0, 0).children();
}

}  // namespace upwash::model
