// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts without ranks: what they take up, their runs, their pieces on the wire.
#include "upwash/onesided/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/onesided/layout_samples.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/detail/packing.hpp"

namespace {

using namespace upwash;
using test::any_layout;
using test::byte_pairs;
using test::bytes_of;
using test::draw_layout;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

void add_row(byte_pairs& all, const run_row& row) {
  for (std::uint64_t i = 0; i < row.count; ++i) {
    for (std::uint64_t k = 0; k < row.bytes; ++k) {
      all.emplace_back(row.local + i * row.local_stride + k,
                       row.remote + i * row.remote_stride + k);
    }
  }
}

run_walker walker_of(const any_layout& of) {
  return of.is_list ? run_walker(of.list) : run_walker(of.rows);
}

std::string problem(const layout& of) {
  footprint found;
  return measure(of, found) ? "none" : problem_of(of);
}

}  // namespace

TEST(layout, footprint_is_that_of_the_bytes) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    random_stream draw(1, seed);
    const any_layout of = draw_layout(draw, 3000);
    footprint found;
    ASSERT_TRUE(measure(of.view(), found));
    const byte_pairs all = bytes_of(of);
    EXPECT_EQ(found.bytes, all.size());
    std::uint64_t local = 0;
    std::uint64_t remote = 0;
    for (const auto& [l, r] : all) {
      local = std::max(local, l + 1);
      remote = std::max(remote, r + 1);
    }
    EXPECT_EQ(found.local_extent, local);
    EXPECT_EQ(found.remote_extent, remote);
  }
}

TEST(layout, walker_yields_all_bytes_in_order) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    random_stream draw(2, seed);
    const any_layout of = draw_layout(draw, 3000);
    const std::uint64_t most = seed % 3 == 0 ? run_walker::all : 1 + draw.below(200);
    run_walker walker = walker_of(of);
    byte_pairs seen;
    const std::uint64_t runs = seed % 4 == 0 ? 1 + draw.below(3) : run_walker::all;
    for (run_row row; walker.next(row, most, runs);) {
      ASSERT_GT(row.bytes * row.count, 0U);
      ASSERT_LE(row.count, runs);
      ASSERT_LE(row.bytes * row.count, most);
      add_row(seen, row);
    }
    EXPECT_EQ(seen, bytes_of(of));
    run_row row;
    EXPECT_FALSE(walker.next(row));
  }
}

TEST(layout, walker_skips_to_any_byte) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    random_stream draw(3, seed);
    const any_layout of = draw_layout(draw, 2000);
    const byte_pairs all = bytes_of(of);
    run_walker walker = walker_of(of);
    std::uint64_t at = 0;
    byte_pairs seen;
    while (at < all.size()) {
      const std::uint64_t skipped = std::min(draw.below(300), all.size() - at);
      walker.skip(skipped);
      at += skipped;
      run_row row;
      if (!walker.next(row, 1 + draw.below(100))) break;
      seen.clear();
      add_row(seen, row);
      for (const auto& each : seen) {
        ASSERT_LT(at, all.size());
        ASSERT_EQ(each, all[at++]);
      }
    }
    EXPECT_EQ(at, all.size());
    walker.skip(10);
    run_row row;
    EXPECT_FALSE(walker.next(row));
  }
}

TEST(layout, adjacent_runs_are_one) {
  // Two dense levels below a strided one, and a level that goes on as the one below.
  const strided dense{8, 4, {{{4, 8, 8}, {2, 32, 32}, {3, 100, 64}, {2, 300, 192}}}};
  const strided few = folded(dense);
  EXPECT_EQ(few.bytes, 64);
  ASSERT_EQ(few.levels, 1);
  EXPECT_EQ(few.level[0], (stride_level{6, 100, 64}));
  const std::vector<segment> list{{0, 10, 5}, {5, 15, 5},  {10, 20, 0},
                                  {99, 1, 0}, {10, 20, 6}, {16, 27, 1}};
  run_walker walker(list);
  run_row row;
  ASSERT_TRUE(walker.next(row));
  EXPECT_EQ(row.bytes, 16U);
  ASSERT_TRUE(walker.next(row));
  EXPECT_EQ(row.bytes, 1U);
  EXPECT_FALSE(walker.next(row));
}

TEST(layout, even_segments_are_a_row) {
  const std::vector<segment> list{{0, 100, 8}, {16, 110, 8}, {32, 120, 8}, {48, 131, 8}};
  run_walker walker(list);
  run_row row;
  ASSERT_TRUE(walker.next(row));
  EXPECT_EQ(row.count, 3U);
  EXPECT_EQ(row.local_stride, 16U);
  EXPECT_EQ(row.remote_stride, 10U);
  ASSERT_TRUE(walker.next(row, run_walker::all, 1));
  EXPECT_EQ(row.count, 1U);
  EXPECT_EQ(row.remote, 131U);
  EXPECT_FALSE(walker.next(row));
}

TEST(layout, block_of_arrays) {
  const std::array<std::int64_t, 3> extents{2, 3, 4};
  const std::array<std::int64_t, 3> local{5, 6, 7};
  const std::array<std::int64_t, 3> remote{9, 8, 10};
  const strided made = block_of(extents, local, remote, 8);
  EXPECT_EQ(made.bytes, 32);
  ASSERT_EQ(made.levels, 2);
  EXPECT_EQ(made.level[0], (stride_level{3, 56, 80}));
  EXPECT_EQ(made.level[1], (stride_level{2, 336, 640}));
  const std::array<std::int64_t, 3> counts{32, 3, 2};
  const std::array<std::int64_t, 2> here{56, 336};
  const std::array<std::int64_t, 2> there{80, 640};
  const strided same = strided_of(counts, here, there);
  EXPECT_EQ(same.bytes, made.bytes);
  EXPECT_EQ(same.level, made.level);
}

TEST(layout, what_makes_no_sense_says_why) {
  EXPECT_EQ(problem(strided{-1}), "strided, with runs of -1 bytes; give 0 or more");
  EXPECT_EQ(problem(strided{8, 1, {{{-2, 8, 8}}}}),
            "strided, with -2 at strides of 8 (local) and 8 (remote) in level 0; give counts and "
            "strides of 0 or more");
  EXPECT_EQ(problem(strided{8, 2, {{{2, 8, 8}, {2, 16, -16}}}}),
            "strided, with 2 at strides of 16 (local) and -16 (remote) in level 1; give counts and "
            "strides of 0 or more");
  const std::string levels =
      "strided, with -1 levels, or counts that do not fit the strides; give 0 to 8 levels, and a "
      "count more than strides of each side";
  EXPECT_EQ(problem(strided_of({}, {}, {})), levels);
  const std::array<std::int64_t, 10> ten{8, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(problem(strided_of(ten, std::span(ten).first(9), std::span(ten).first(9))), levels);
  const std::string large =
      "strided, with more bytes from its first to its last than can be addressed (2^62); give "
      "smaller counts or strides";
  EXPECT_EQ(problem(strided{largest}), large);
  EXPECT_EQ(problem(strided{1, 1, {{{3, largest, 1}}}}), large);
  EXPECT_EQ(problem(strided{1, 2, {{{largest, 0, 0}, {largest, 0, 0}}}}), large);
  const std::vector<segment> list{{0, 0, 8}, {~std::uint64_t{0}, 0, 2}};
  EXPECT_EQ(
      problem(list),
      "a list whose segment 1 has 2 bytes at offsets 18446744073709551615 (local) and 0 "
      "(remote), more than can be addressed (2^62, all segments together); give smaller ones");
  const std::array<std::int64_t, 1> one{4};
  const std::array<std::int64_t, 2> two{4, 4};
  EXPECT_EQ(problem(block_of(one, two, one, 8)), levels);
  EXPECT_EQ(problem(strided{0, 1, {{{0, 5, 5}}}}), "none");
}

/// What the packer makes of a layout, its reader understands; with and without data.
TEST(layout, pieces_say_the_same_bytes) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    random_stream draw(5, seed);
    constexpr std::array<std::uint64_t, 3> elements{1, 8, 16};
    const std::uint64_t element = elements[draw.below(3)];
    const any_layout of = draw_layout(draw, 4000, element);
    const byte_pairs all = bytes_of(of);
    std::vector<std::byte> local(5000);
    for (auto& each : local) each = static_cast<std::byte>(draw.below(256));
    const bool carries = seed % 2 == 0;
    const std::size_t message = 256 + draw.below(2000);
    const detail::piece_limits limits{message, 256 + draw.below(2000), element, carries};
    detail::packer cut(of.view(), limits);
    std::vector<std::byte> out;
    run_walker first;
    std::size_t at = 0;
    while (const std::uint64_t bytes = cut.next(out, local.data(), first)) {
      ASSERT_LE(out.size(), message);
      ASSERT_LE(bytes, limits.data);
      ASSERT_EQ(bytes % element, 0U);
      detail::piece_reader piece(out);
      ASSERT_EQ(piece.bytes(), bytes);
      const auto data = carries ? piece.data() : std::span<const std::byte>();
      std::uint64_t position = 0;
      for (run_row row; piece.next(row);) {
        ASSERT_EQ(row.local, position);
        position += row.bytes * row.count;
        row.local_stride = row.bytes;
        byte_pairs seen;
        add_row(seen, row);
        for (const auto& [where, remote] : seen) {
          ASSERT_LT(at, all.size());
          ASSERT_EQ(remote, all[at].second);
          if (carries) {
            ASSERT_EQ(data[where], local[all[at].first]);
          }
          ++at;
        }
      }
      ASSERT_EQ(position, bytes);
    }
    EXPECT_EQ(at, all.size());
  }
}

/// Any bytes: refused or read, never beyond their end.
TEST(layout, damaged_pieces_are_refused) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    random_stream draw(6, seed);
    const any_layout of = draw_layout(draw, 2000);
    const std::vector<std::byte> local(2100);
    detail::packer cut(of.view(), {512, 512, 1, true});
    std::vector<std::byte> out;
    run_walker first;
    if (cut.next(out, local.data(), first) == 0) continue;
    for (int i = 0; i < 3; ++i)
      out[draw.below(out.size())] = static_cast<std::byte>(draw.below(256));
    out.resize(draw.below(3) == 0 ? draw.below(out.size()) : out.size());
    const std::vector<std::byte> exact(out);  // a sanitizer sees what is read behind it
    try {
      detail::piece_reader piece(exact);
      const auto data = piece.data();
      int rows = 0;
      for (run_row row; piece.next(row) && ++rows < 1000;) {
        ASSERT_LE(row.local + row.bytes * row.count, data.size());
      }
    } catch (const error& e) {
      EXPECT_EQ(e.kind(), error_kind::fault);
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
}
