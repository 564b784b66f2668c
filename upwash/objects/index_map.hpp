// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps indices to their home members, and enumerates the indices of dense arrays of one to four
// dimensions.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/objects/detail/index_text.hpp"
#include "upwash/objects/detail/object_key.hpp"

namespace upwash {

/// The upper bounds of the indices in each dimension; indices begin at 0.
template <std::size_t Dimensions>
using extents = std::array<std::uint64_t, Dimensions>;

/// Maps an index to its home; the same at all members of a team. Copies at most five words.
template <objects::object_index Index>
class index_map {
 public:
  using bounds = std::array<std::uint64_t, 4>;

  /// Uses a function of the program, or a lambda without captures: `int (const Index&, int
  /// members)`.
  template <class Home>
  requires std::convertible_to<Home, int (*)(const Index&, int)> index_map(Home home)
      : of_program_(home) {}  // NOLINT(google-explicit-constructor)
  /// Uses a function that also gets the bounds; in_blocks and round_robin make these.
  index_map(int (*home)(const Index& index, int members, const bounds& of), const bounds& of)
      : within_(home), bounds_(of) {}

  [[nodiscard]] int operator()(const Index& index, int members) const {
    return of_program_ != nullptr ? of_program_(index, members) : within_(index, members, bounds_);
  }

 private:
  int (*of_program_)(const Index&, int) = nullptr;
  int (*within_)(const Index&, int, const bounds&) = nullptr;
  bounds bounds_{};
};

namespace objects {

template <class Index>
struct dense_index;
template <std::integral Number>
struct dense_index<Number> {
  static constexpr std::size_t dimensions = 1;
  [[nodiscard]] static std::uint64_t at(const Number& of, std::size_t /*dimension*/) {
    return static_cast<std::uint64_t>(of);
  }
  static void set(Number& of, std::size_t /*dimension*/, std::uint64_t to) {
    of = static_cast<Number>(to);
  }
};
template <std::integral Number, std::size_t Dimensions>
struct dense_index<std::array<Number, Dimensions>> {
  static_assert(Dimensions >= 1 && Dimensions <= 4, "dense arrays have one to four dimensions");
  static constexpr std::size_t dimensions = Dimensions;
  [[nodiscard]] static std::uint64_t at(const std::array<Number, Dimensions>& of,
                                        std::size_t dimension) {
    return static_cast<std::uint64_t>(of[dimension]);
  }
  static void set(std::array<Number, Dimensions>& of, std::size_t dimension, std::uint64_t to) {
    of[dimension] = static_cast<Number>(to);
  }
};

/// Returns the number of an index, with the last dimension fastest, or the number of all indices if
/// `index` is outside.
template <class Index>
[[nodiscard]] std::uint64_t number_of(const Index& index, const std::array<std::uint64_t, 4>& of) {
  using dense = dense_index<Index>;
  std::uint64_t number = 0, all = 1;
  bool inside = true;
  for (std::size_t d = 0; d < dense::dimensions; ++d) {
    number = number * of[d] + dense::at(index, d);
    all *= of[d];
    inside = inside && dense::at(index, d) < of[d];
  }
  return inside ? number : all;
}

/// Returns the home according to `in_blocks`; -1 for an index outside the bounds.
template <class Index>
[[nodiscard]] int in_block(const Index& index, int members,
                           const std::array<std::uint64_t, 4>& of) {
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < dense_index<Index>::dimensions; ++d) all *= of[d];
  const std::uint64_t number = number_of(index, of);
  if (number >= all) return -1;
  // The first (all % members) blocks have one index more.
  const auto parts = static_cast<std::uint64_t>(members);
  const std::uint64_t least = all / parts, more = all % parts;
  const std::uint64_t first = more * (least + 1);
  return static_cast<int>(number < first ? number / (least + 1) : more + (number - first) / least);
}

/// Returns the home according to `round_robin`; -1 for an index outside the bounds.
template <class Index>
[[nodiscard]] int in_turn(const Index& index, int members, const std::array<std::uint64_t, 4>& of) {
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < dense_index<Index>::dimensions; ++d) all *= of[d];
  const std::uint64_t number = number_of(index, of);
  return number >= all ? -1 : static_cast<int>(number % static_cast<std::uint64_t>(members));
}

/// Returns the extents as four dimensions, with 1 for missing ones.
template <std::size_t Dimensions>
[[nodiscard]] std::array<std::uint64_t, 4> bounds_of(const extents<Dimensions>& of) {
  std::array<std::uint64_t, 4> all{1, 1, 1, 1};
  for (std::size_t d = 0; d < Dimensions; ++d) all[d] = of[d];
  return all;
}

}  // namespace objects

/// Returns a map that gives the members, in order, blocks of nearly equal size. Indices that are
/// neighbors in the last dimension stay together. An index outside the bounds is an error.
template <objects::object_index Index>
[[nodiscard]] index_map<Index> in_blocks(
    const extents<objects::dense_index<Index>::dimensions>& of) {
  return {&objects::in_block<Index>, objects::bounds_of(of)};
}
/// Returns a map that deals the indices to the members in turn.
template <objects::object_index Index>
[[nodiscard]] index_map<Index> round_robin(
    const extents<objects::dense_index<Index>::dimensions>& of) {
  return {&objects::in_turn<Index>, objects::bounds_of(of)};
}

/// Returns all indices of a dense array, with the last dimension fastest.
template <objects::object_index Index>
[[nodiscard]] std::vector<Index> all_indices(
    const extents<objects::dense_index<Index>::dimensions>& of) {
  using dense = objects::dense_index<Index>;
  std::uint64_t count = 1;
  for (const std::uint64_t each : of) count *= each;
  std::vector<Index> all(count);
  for (std::uint64_t number = 0; number < count; ++number) {
    std::uint64_t left = number;
    for (std::size_t d = dense::dimensions; d-- > 0; left /= of[d]) {
      dense::set(all[number], d, left % of[d]);
    }
  }
  return all;
}

}  // namespace upwash
