// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The boxes of the stencil program: what they exchange, and what steps make of it.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "apps/stencil/cells.hpp"

namespace stencil {
namespace {

/// All boxes, with what they exchange carried from each to the other.
std::uint64_t mark_by_boxes(const lattice& of, const triple& places, int steps) {
  const int all = places[0] * places[1] * places[2];
  const auto place = [&](int number) -> triple {
    return {number / places[2] / places[1], number / places[2] % places[1], number % places[2]};
  };
  const auto towards = [&](int number, const direction& way) {
    const triple at = place(number);
    const auto next = [&](std::size_t i) { return (at[i] + way[i] + places[i]) % places[i]; };
    return static_cast<std::size_t>((next(0) * places[1] + next(1)) * places[2] + next(2));
  };
  std::vector<cells> boxes;
  for (int i = 0; i < all; ++i) boxes.emplace_back(of, share_of(of, places, place(i)));
  for (int step = 0; step < steps; ++step) {
    for (const direction& way : directions_of(of.points)) {
      for (int i = 0; i < all; ++i) {
        const cells& from = boxes[static_cast<std::size_t>(i)];
        std::vector<double> block(from.at_side(way));
        from.pack(way, block);
        boxes[towards(i, way)].unpack(opposite(way), block);
      }
    }
    for (cells& each : boxes) each.step();
  }
  std::uint64_t sum = 0;
  for (const cells& each : boxes) sum += each.mark();
  return sum;
}

TEST(stencil, boxes_make_the_cube) {
  for (const int points : {7, 27}) {
    const std::uint64_t wanted = serial_mark({7, points}, 3);
    for (const triple& places :
         {triple{1, 1, 1}, {2, 1, 1}, {1, 3, 2}, {2, 2, 2}, {7, 1, 1}, {3, 7, 2}}) {
      EXPECT_EQ(mark_by_boxes({7, points}, places, 3), wanted)
          << points << " points, " << places[0] << " x " << places[1] << " x " << places[2];
    }
    EXPECT_NE(mark_by_boxes({7, points}, {2, 2, 2}, 2), wanted);
  }
  EXPECT_NE(serial_mark({7, 7}, 3), serial_mark({7, 27}, 3));
}

TEST(stencil, boxes_make_the_square) {
  const std::uint64_t wanted = serial_mark({7, 5}, 3);
  for (const triple& places : {triple{1, 1, 1}, {1, 2, 1}, {1, 3, 2}, {1, 7, 1}, {1, 2, 7}}) {
    EXPECT_EQ(mark_by_boxes({7, 5}, places, 3), wanted) << places[1] << " x " << places[2];
  }
  EXPECT_NE(mark_by_boxes({7, 5}, {1, 2, 2}, 2), wanted);
}

/// Narayanan 2020, equation 3.1, with h = 1.
TEST(stencil, five_points_add_an_eighth_of_the_laplacian) {
  cells box({8, 5}, {{0, 2, 2}, {1, 1, 1}});
  const direction any{0, 0, 1};
  std::vector<double> before(1), after(1);
  box.pack(any, before);
  double laplacian = -4 * before[0];
  ASSERT_EQ(directions_of(5).size(), 4U);
  for (const direction& way : directions_of(5)) {
    const std::vector<double> ghost{3.0 * way[1] + 0.5 * way[2] + 1};  // of each side another
    box.unpack(way, ghost);
    laplacian += ghost[0];
  }
  box.step();
  box.pack(any, after);
  EXPECT_DOUBLE_EQ(8 * (after[0] - before[0]), laplacian);
}

TEST(stencil, a_cell_becomes_the_mean_around_it) {
  // A box whose ghosts are all 3 and whose cells are drawn below 1.
  for (const int points : {7, 27}) {
    cells box({8, points}, {{2, 2, 2}, {1, 1, 1}});
    const direction side{0, 0, 1};
    std::vector<double> drawn(1);
    box.pack(side, drawn);
    const std::vector<double> ghost{3};
    for (const direction& way : directions_of(points)) box.unpack(way, ghost);
    box.step();
    std::vector<double> after(1);
    box.pack(side, after);
    const double own = points == 7 ? 2.0 / 8 : 8.0 / 64;
    EXPECT_DOUBLE_EQ(after[0], own * drawn[0] + (1 - own) * 3);
  }
}

TEST(stencil, shares_cover_the_cube) {
  int next = 0;
  for (int at = 0; at < 3; ++at) {
    const box share = share_of({10, 7}, {3, 1, 1}, {at, 0, 0});
    EXPECT_EQ(share.first[0], next);
    EXPECT_GE(share.count[0], 3);
    EXPECT_EQ(share.count[1], 10);
    next += share.count[0];
  }
  EXPECT_EQ(next, 10);
}

}  // namespace
}  // namespace stencil
