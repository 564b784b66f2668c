// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts describe where the bytes of one transfer lie at both ends: in rows of equal runs, strided
// over up to eight levels, or in a list of segments. Plain values. Offsets count in bytes from the
// local span and from the global pointer of the transfer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upwash {

/// One level of strides. Strides and counts are never below 0.
struct stride_level {
  std::int64_t count = 1;          ///< repetitions of the level below
  std::int64_t local_stride = 0;   ///< bytes from one to the next at this rank
  std::int64_t remote_stride = 0;  ///< bytes from one to the next at the target

  friend constexpr bool operator==(const stride_level&, const stride_level&) = default;
};

/// Runs of equal length over levels of strides, the innermost level first. ARMCI's descriptor. If
/// runs overlap at the written end, the final contents are not defined (accumulate adds all runs).
struct strided {
  static constexpr int most_levels = 8;

  std::int64_t bytes = 0;  ///< bytes of one run: ARMCI's count[0]
  int levels = 0;          ///< 0: one run
  std::array<stride_level, most_levels> level = {};
};

/// Makes a layout from ARMCI's arrays: one count more than strides. If the sizes of the arrays do
/// not match, or there are more than eight levels, every transfer rejects the layout.
[[nodiscard]] strided strided_of(std::span<const std::int64_t> counts,
                                 std::span<const std::int64_t> local_strides,
                                 std::span<const std::int64_t> remote_strides);

/// Describes a block of `extents` elements out of two arrays, row by row (the last index runs
/// fastest). Span and pointer point to the first element of the block. All three arguments have one
/// number for each dimension, at most nine. The first extent of the arrays is not used. Otherwise
/// as strided_of.
/// @code
/// void put_tile(upwash::job& here, upwash::global_ptr<double> to, std::span<const double> mine) {
///   const upwash::strided tile =
///       upwash::block_of({{16, 64}}, {{128, 128}}, {{1024, 1024}}, sizeof(double));
///   upwash::put(here, to, mine, tile).wait();
/// }
/// @endcode
[[nodiscard]] strided block_of(std::span<const std::int64_t> extents,
                               std::span<const std::int64_t> local_array,
                               std::span<const std::int64_t> remote_array,
                               std::size_t element_bytes);

/// A segment of a list.
struct segment {
  std::uint64_t local = 0;   ///< offset in the local span
  std::uint64_t remote = 0;  ///< offset from the global pointer
  std::uint64_t bytes = 0;
};

/// The size of a layout.
struct footprint {
  std::uint64_t bytes = 0;          ///< moved bytes
  std::uint64_t runs = 0;           ///< number before adjacent runs are merged
  std::uint64_t local_extent = 0;   ///< end of the last byte, from the span; 0 if no byte is moved
  std::uint64_t remote_extent = 0;  ///< end of the last byte, from the global pointer
};

/// A layout of either kind, as transfers take it. Refers to its source, which must stay valid until
/// the transfer call returns. Two words.
class layout {
 public:
  /// Refers to runs over strides.
  layout(const strided& of) : strided_(&of) {}  // NOLINT: meant to convert
  /// Refers to a list of segments.
  layout(std::span<const segment> list) : list_(list) {}  // NOLINT: the same
  /// Refers to a list of segments.
  layout(const std::vector<segment>& list) : list_(list) {}  // NOLINT: the same

  /// Returns the strides; null for a list.
  [[nodiscard]] const strided* as_strided() const noexcept { return strided_; }
  /// Returns the list; empty for strides.
  [[nodiscard]] std::span<const segment> as_list() const noexcept { return list_; }

 private:
  const strided* strided_ = nullptr;
  std::span<const segment> list_;
};

/// Returns whether a layout is valid, and computes its size. O(levels), or O(segments).
[[nodiscard]] bool measure(const layout& of, footprint& found) noexcept;
/// Returns why `measure` rejects a layout, as the text of an error: the problem and the remedy.
[[nodiscard]] std::string problem_of(const layout& of);

/// Returns the same bytes in the same order with the fewest runs and levels. Runs that are adjacent
/// at both ends become one run. A level that continues the level below is merged with it. `measure`
/// must accept `of`.
[[nodiscard]] strided folded(const strided& of) noexcept;

/// Runs of one length at even distances; usually one run.
struct run_row {
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
  std::uint64_t bytes = 0;  ///< of each run, above 0
  std::uint64_t count = 1;
  std::uint64_t local_stride = 0;  ///< if count is above 1
  std::uint64_t remote_stride = 0;
};

/// Walks through a layout once, in order. A plain value that may be copied on the way. `measure`
/// must accept the layout. A segment is merged with adjacent later segments. Other segments of one
/// length at even distances form a row.
class run_walker {
 public:
  static constexpr std::uint64_t all = ~std::uint64_t{0};

  run_walker() = default;
  /// Walks through strides. Keeps a copy.
  explicit run_walker(const strided& of) noexcept;
  /// Walks through a list, which must stay valid.
  explicit run_walker(std::span<const segment> list) noexcept : list_(list), is_list_(true) {}

  /// Gives the next row, of at most `most` bytes in all runs together and at most `most_runs` runs
  /// (above 0). Cuts a longer run. Returns false at the end, and for `most` of 0. O(1); a list:
  /// O(segments of the row).
  bool next(run_row& row, std::uint64_t most = all, std::uint64_t most_runs = all) noexcept;

  /// Skips `bytes` bytes, or all remaining ones if there are fewer. Strides: O(levels); a list:
  /// O(segments).
  void skip(std::uint64_t bytes) noexcept;

 private:
  bool next_of_list(run_row& row, std::uint64_t most, std::uint64_t most_runs) noexcept;
  void lengthen(run_row& row, std::uint64_t most, std::uint64_t most_runs) noexcept;
  void carry() noexcept;

  strided shape_ = {};
  std::span<const segment> list_;
  std::array<std::int64_t, strided::most_levels> at_ = {};  ///< indices; lists use the first
  std::uint64_t local_ = 0;                                 ///< of the current row
  std::uint64_t remote_ = 0;
  std::uint64_t within_ = 0;  ///< bytes of the current run that were returned
  bool is_list_ = false;
  bool done_ = false;
};

}  // namespace upwash
