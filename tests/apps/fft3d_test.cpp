// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "apps/fft3d/nas.hpp"
#include "apps/fft3d/partition.hpp"
#include "upwash/base/error.hpp"

namespace {

using fft3d::axes;
using fft3d::complex;
using fft3d::index;
using fft3d::lengths;
using fft3d::rank_grid;
using fft3d::transpose;

std::string refusal(const lengths& points, int ranks, const std::optional<rank_grid>& asked) {
  try {
    (void)fft3d::grid_for(points, ranks, asked);
  } catch (const upwash::error& refused) {
    EXPECT_EQ(refused.kind(), upwash::error_kind::argument);
    return refused.what();
  }
  return "accepted";
}

TEST(fft3d_grid, is_the_squarest_that_fits) {
  EXPECT_EQ(fft3d::grid_for({64, 64, 64}, 1, {}), (rank_grid{1, 1}));
  EXPECT_EQ(fft3d::grid_for({64, 64, 64}, 8, {}), (rank_grid{2, 4}));
  EXPECT_EQ(fft3d::grid_for({64, 64, 64}, 16, {}), (rank_grid{4, 4}));
  EXPECT_EQ(fft3d::grid_for({128, 128, 32}, 4096, {}), (rank_grid{128, 32}));
  EXPECT_EQ(fft3d::grid_for({6, 12, 10}, 6, {}), (rank_grid{3, 2}));
  EXPECT_EQ(fft3d::grid_for({64, 64, 64}, 8, rank_grid{8, 1}), (rank_grid{8, 1}));
}

TEST(fft3d_grid, names_what_would_fit) {
  EXPECT_EQ(refusal({64, 64, 64}, 7, {}),
            "7 ranks do not share 64 x 64 x 64 points in equal pencils; use 4 or 8");
  EXPECT_EQ(refusal({64, 64, 64}, 1000000, {}),
            "1000000 ranks do not share 64 x 64 x 64 points in equal pencils; use 4096");
  EXPECT_EQ(refusal({4, 4, 4}, 4, rank_grid{2, 4}), "--grid 2 4 is 8 ranks, and the job has 4");
  EXPECT_EQ(refusal({4, 4, 6}, 4, rank_grid{1, 4}),
            "--grid 1 4 does not share 4 x 4 x 6 points in equal pencils; the first must divide 4 "
            "and 4, the second 4 and 6");
}

/// What members exchange when each of `all` packs its rows in pieces of `rows`.
std::vector<std::vector<complex>> exchanged(const transpose& how, int rows,
                                            const std::vector<std::vector<complex>>& all) {
  std::vector<std::vector<complex>> results(all.size(), std::vector<complex>(how.points()));
  const auto piece = index(rows) * index(how.length);
  const auto block = piece / all.size();
  for (int first = 0; first < how.planes * how.rows; first += rows) {
    std::vector<std::vector<complex>> packed(all.size(), std::vector<complex>(piece));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto from = std::span(all[i]).subspan(index(first) * index(how.length), piece);
      fft3d::pack(how, from, rows, packed[i]);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<complex> arrived;
      for (const auto& each : packed) {
        const auto mine = each.begin() + static_cast<std::ptrdiff_t>(i * block);
        arrived.insert(arrived.end(), mine, mine + static_cast<std::ptrdiff_t>(block));
      }
      fft3d::unpack(how, arrived, first, rows, results[i]);
    }
  }
  return results;
}

/// Every point holds its own coordinates before, and lies where it belongs behind both transposes.
void expect_transposed(const axes& of, bool by_rows) {
  const int a = of.first;
  const int b = of.second;
  const int tb = of.second_ranks;
  const int tc = of.third_ranks;
  const auto number = [&](int i, int j, int k) { return complex((k * b + j) * a + i); };
  const auto first = fft3d::first_transpose(of);
  const auto second = fft3d::second_transpose(of);
  // parts[third][second]
  std::vector<std::vector<std::vector<complex>>> parts(index(tc));
  for (int z = 0; z < tc; ++z) {
    for (int y = 0; y < tb; ++y) {
      std::vector<complex> mine;
      for (int k = z * of.third / tc; k < (z + 1) * of.third / tc; ++k) {
        for (int j = y * b / tb; j < (y + 1) * b / tb; ++j) {
          for (int i = 0; i < a; ++i) mine.push_back(number(i, j, k));
        }
      }
      parts[index(z)].push_back(mine);
    }
    parts[index(z)] = exchanged(first, by_rows ? 1 : first.rows, parts[index(z)]);
  }
  for (int y = 0; y < tb; ++y) {
    std::vector<std::vector<complex>> column;
    for (int z = 0; z < tc; ++z) column.push_back(parts[index(z)][index(y)]);
    column = exchanged(second, by_rows ? 1 : second.rows * second.planes, column);
    for (int z = 0; z < tc; ++z) {
      auto at = column[index(z)].begin();
      for (int i = y * a / tb; i < (y + 1) * a / tb; ++i) {
        for (int j = z * b / tc; j < (z + 1) * b / tc; ++j) {
          for (int k = 0; k < of.third; ++k) ASSERT_EQ(*at++, number(i, j, k));
        }
      }
    }
  }
}

TEST(fft3d_transposes, bring_every_point_where_it_belongs) {
  for (const bool by_rows : {false, true}) {
    expect_transposed({4, 6, 5, 1, 1}, by_rows);
    expect_transposed({4, 4, 6, 2, 2}, by_rows);
    expect_transposed({6, 12, 8, 3, 4}, by_rows);
    expect_transposed({3, 6, 2, 3, 2}, by_rows);
    expect_transposed({8, 8, 8, 8, 1}, by_rows);
    expect_transposed({5, 7, 7, 1, 7}, by_rows);
  }
}

// The generator by its definition, one step after the other.
TEST(fft3d_nas, numbers_from_anywhere_are_those_counted_from_the_start) {
  constexpr std::uint64_t modulus = std::uint64_t{1} << 46U;
  std::uint64_t state = 314159265;
  for (std::uint64_t i = 0; i < 300; ++i) {
    __extension__ using wide = unsigned __int128;
    state = static_cast<std::uint64_t>(static_cast<wide>(state) * 1220703125U % modulus);
    ASSERT_EQ(fft3d::nas_numbers(i).next(),
              static_cast<double>(state) / static_cast<double>(modulus));
  }
}

TEST(fft3d_nas, parts_of_the_initial_field_are_those_of_the_whole) {
  const lengths points{4, 6, 3};
  std::vector<complex> whole;
  for (int z = 0; z < points.z; ++z) {
    std::vector<complex> plane(24);
    fft3d::fill_initial(points, z, 0, 6, plane);
    whole.insert(whole.end(), plane.begin(), plane.end());
  }
  std::vector<complex> part(8);
  fft3d::fill_initial(points, 2, 3, 2, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 2 * 24 + 3 * 4));
  std::sort(whole.begin(), whole.end(),
            [](const complex& a, const complex& b) { return a.real() < b.real(); });
  EXPECT_EQ(std::adjacent_find(whole.begin(), whole.end()), whole.end());
}

TEST(fft3d_nas, damping_is_symmetric_and_falls_with_the_wave_number) {
  const auto factors = fft3d::damping(8);
  ASSERT_EQ(factors.size(), 8U);
  EXPECT_EQ(factors[0], 1);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(factors[k], factors[8 - k]);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_LT(factors[k], factors[k - 1]);
  EXPECT_NEAR(factors[1], 1 - 4e-6 * 9.8696044, 1e-9);
}

TEST(fft3d_nas, knows_two_classes) {
  EXPECT_EQ(fft3d::nas_class_named('W').points.z, 32);
  EXPECT_THROW((void)fft3d::nas_class_named('A'), upwash::error);
  EXPECT_GT(fft3d::relative_error({1, 1e-11}, {1, 0}), fft3d::accepted_error);
  EXPECT_LT(fft3d::relative_error({1, 1e-13}, {1, 0}), fft3d::accepted_error);
}

}  // namespace
