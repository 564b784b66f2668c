// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the bytes of one transfer lie, at both of its ends: in rows of equal runs, strided over up
// to eight levels, or in a list of segments. Plain values; offsets count in bytes from the local
// span and from the global pointer that the transfer is given.
//
//   const strided tile = block_of({16, 64}, {128, 128}, {1024, 1024}, sizeof(double));
//   put(here, to, std::span(mine), tile).wait();
//
// Strides and counts are never below 0. Runs that overlap at the end that is written are the
// caller's: which of them is seen in the end is not defined (accumulate adds all of them).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upwash {

/// One level of strides.
struct stride_level {
  std::int64_t count = 1;          ///< how many of the level below
  std::int64_t local_stride = 0;   ///< bytes from one to the next, at this rank
  std::int64_t remote_stride = 0;  ///< the same at the target

  friend constexpr bool operator==(const stride_level&, const stride_level&) = default;
};

/// Runs of equal length, over levels of strides: the innermost level first. ARMCI's descriptor.
struct strided {
  static constexpr int most_levels = 8;

  std::int64_t bytes = 0;  ///< of one run: ARMCI's count[0]
  int levels = 0;          ///< 0: one run
  std::array<stride_level, most_levels> level = {};
};

/// From ARMCI's arrays: one count more than strides. Sizes that do not fit each other, and more
/// than eight levels, make a layout that every transfer refuses.
[[nodiscard]] strided strided_of(std::span<const std::int64_t> counts,
                                 std::span<const std::int64_t> local_strides,
                                 std::span<const std::int64_t> remote_strides);

/// A block of `extents` elements out of two arrays, row by row (the last index runs fastest). It
/// starts where span and pointer do: both point to its first element. All three have one number for
/// each dimension, at most nine; the arrays' first is not looked at. Else as strided_of.
[[nodiscard]] strided block_of(std::span<const std::int64_t> extents,
                               std::span<const std::int64_t> local_array,
                               std::span<const std::int64_t> remote_array,
                               std::size_t element_bytes);

/// A piece of a list.
struct segment {
  std::uint64_t local = 0;   ///< offset in the local span
  std::uint64_t remote = 0;  ///< offset from the global pointer
  std::uint64_t bytes = 0;
};

/// What a layout takes up.
struct footprint {
  std::uint64_t bytes = 0;          ///< that are moved
  std::uint64_t runs = 0;           ///< before adjacent ones are merged
  std::uint64_t local_extent = 0;   ///< end of the last byte, from the span; 0 where none is moved
  std::uint64_t remote_extent = 0;  ///< the same from the global pointer
};

/// A layout of any kind, as transfers take it: refers to what it is made of, which stays until the
/// transfer was called, no longer. Two words.
class layout {
 public:
  /// Of runs over strides.
  layout(const strided& of) : strided_(&of) {}  // NOLINT: meant to convert
  /// Of pieces.
  layout(std::span<const segment> list) : list_(list) {}  // NOLINT: the same
  /// Of pieces.
  layout(const std::vector<segment>& list) : list_(list) {}  // NOLINT: the same

  /// Null for a list.
  [[nodiscard]] const strided* as_strided() const noexcept { return strided_; }
  /// Empty for strides.
  [[nodiscard]] std::span<const segment> as_list() const noexcept { return list_; }

 private:
  const strided* strided_ = nullptr;
  std::span<const segment> list_;
};

/// Whether a layout makes sense, and what it takes up. O(levels), or O(segments).
[[nodiscard]] bool measure(const layout& of, footprint& found) noexcept;
/// Why `measure` refuses it, for an error: what it is and what to do.
[[nodiscard]] std::string problem_of(const layout& of);

/// The same bytes in the same order with as few runs and levels as can be: what is adjacent at both
/// ends becomes one run, levels that go on as the one below become one with it. `of` is one that
/// `measure` takes.
[[nodiscard]] strided folded(const strided& of) noexcept;

/// Runs of one length at even distances; mostly one.
struct run_row {
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
  std::uint64_t bytes = 0;  ///< of each, above 0
  std::uint64_t count = 1;
  std::uint64_t local_stride = 0;  ///< where count is above 1
  std::uint64_t remote_stride = 0;
};

/// Goes through a layout once, in order; a plain value that may be copied on the way. What it goes
/// through is one that `measure` takes. Segments are merged with adjacent ones behind them; others
/// of one length at even distances make a row.
class run_walker {
 public:
  static constexpr std::uint64_t all = ~std::uint64_t{0};

  run_walker() = default;
  /// Keeps a copy.
  explicit run_walker(const strided& of) noexcept;
  /// The list stays while it is used.
  explicit run_walker(std::span<const segment> list) noexcept : list_(list), is_list_(true) {}

  /// The next row, of at most `most` bytes in all runs together, and `most_runs` runs (above 0); a
  /// run that is longer is cut. False at the end, and for `most` of 0. O(1); a list: O(segments of
  /// the row).
  bool next(run_row& row, std::uint64_t most = all, std::uint64_t most_runs = all) noexcept;

  /// Passes over bytes, as far as there are some. Strided: O(levels); a list: O(segments).
  void skip(std::uint64_t bytes) noexcept;

 private:
  bool next_of_list(run_row& row, std::uint64_t most, std::uint64_t most_runs) noexcept;
  void lengthen(run_row& row, std::uint64_t most, std::uint64_t most_runs) noexcept;
  void carry() noexcept;

  strided shape_ = {};
  std::span<const segment> list_;
  std::array<std::int64_t, strided::most_levels> at_ = {};  ///< indices; lists: the first is used
  std::uint64_t local_ = 0;                                 ///< of the row that is at hand
  std::uint64_t remote_ = 0;
  std::uint64_t within_ = 0;  ///< bytes of the run at hand that were given
  bool is_list_ = false;
  bool done_ = false;
};

}  // namespace upwash
