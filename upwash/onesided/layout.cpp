// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace upwash {
namespace {

/// No part of a region is as large, and sums of two stay far from the end of the type.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62U;

/// a * b + c, or false beyond what bytes can be.
bool product_and_sum(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                     std::uint64_t& result) noexcept {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > most_bytes) return false;
  return !__builtin_add_overflow(product, c, &result) && result <= most_bytes;
}

std::uint64_t as_offset(std::int64_t n) { return static_cast<std::uint64_t>(n); }

bool has_levels(const strided& of) { return of.levels >= 0 && of.levels <= strided::most_levels; }

bool measure_strided(const strided& of, footprint& found) noexcept {
  if (of.bytes < 0 || !has_levels(of)) return false;
  found = {as_offset(of.bytes), 1, as_offset(of.bytes), as_offset(of.bytes)};
  bool empty = of.bytes == 0;
  if (found.bytes > most_bytes) return false;
  for (int i = 0; i < of.levels; ++i) {
    const stride_level& each = of.level[static_cast<std::size_t>(i)];
    if (each.count < 0 || each.local_stride < 0 || each.remote_stride < 0) return false;
    if (each.count == 0) {
      empty = true;
      continue;
    }
    const std::uint64_t steps = as_offset(each.count) - 1;
    if (!product_and_sum(as_offset(each.count), found.bytes, 0, found.bytes) ||
        !product_and_sum(as_offset(each.count), found.runs, 0, found.runs) ||
        !product_and_sum(steps, as_offset(each.local_stride), found.local_extent,
                         found.local_extent) ||
        !product_and_sum(steps, as_offset(each.remote_stride), found.remote_extent,
                         found.remote_extent)) {
      return false;
    }
  }
  if (empty) found = {};
  return true;
}

/// Without a branch a segment: what is too large leaves a bit behind.
bool measure_list(std::span<const segment> list, footprint& found) noexcept {
  found = {};
  std::uint64_t bits = 0;
  for (const segment& each : list) {
    if (each.bytes == 0) continue;
    // Terms below 2^62 do not wrap.
    const std::uint64_t local_end = each.local + each.bytes;
    const std::uint64_t remote_end = each.remote + each.bytes;
    found.bytes += each.bytes;
    bits |= each.local | each.remote | each.bytes | local_end | remote_end | found.bytes;
    ++found.runs;
    found.local_extent = std::max(found.local_extent, local_end);
    found.remote_extent = std::max(found.remote_extent, remote_end);
  }
  return bits < most_bytes;
}

std::string problem_of_strided(const strided& of) {
  if (of.bytes < 0) {
    return fmt::format("strided, with runs of {} bytes; give 0 or more", of.bytes);
  }
  if (!has_levels(of)) {
    return fmt::format(
        "strided, with {} levels, or counts that do not fit the strides; give 0 to "
        "{} levels, and a count more than strides of each side",
        of.levels, strided::most_levels);
  }
  for (int i = 0; i < of.levels; ++i) {
    const auto [count, local, remote] = of.level[static_cast<std::size_t>(i)];
    if (count < 0 || local < 0 || remote < 0) {
      return fmt::format(
          "strided, with {} at strides of {} (local) and {} (remote) in level {}; "
          "give counts and strides of 0 or more",
          count, local, remote, i);
    }
  }
  return "strided, with more bytes from its first to its last than can be addressed (2^62); give "
         "smaller counts or strides";
}

strided refused() {
  strided made;
  made.levels = -1;
  return made;
}

}  // namespace

strided strided_of(std::span<const std::int64_t> counts,
                   std::span<const std::int64_t> local_strides,
                   std::span<const std::int64_t> remote_strides) {
  if (counts.empty() || counts.size() - 1 > strided::most_levels ||
      local_strides.size() != counts.size() - 1 || remote_strides.size() != counts.size() - 1) {
    return refused();
  }
  strided made{counts[0], static_cast<int>(counts.size()) - 1};
  for (std::size_t i = 1; i < counts.size(); ++i) {
    made.level[i - 1] = {counts[i], local_strides[i - 1], remote_strides[i - 1]};
  }
  return made;
}

strided block_of(std::span<const std::int64_t> extents, std::span<const std::int64_t> local_array,
                 std::span<const std::int64_t> remote_array, std::size_t element_bytes) {
  const std::size_t dimensions = extents.size();
  const auto size = static_cast<std::int64_t>(element_bytes);
  if (dimensions == 0 || dimensions > strided::most_levels + 1 ||
      local_array.size() != dimensions || remote_array.size() != dimensions || size < 0) {
    return refused();
  }
  strided made{0, static_cast<int>(dimensions) - 1};
  if (__builtin_mul_overflow(extents[dimensions - 1], size, &made.bytes)) return refused();
  std::int64_t local = size;
  std::int64_t remote = size;
  for (std::size_t i = dimensions - 1; i > 0; --i) {
    if (__builtin_mul_overflow(local, local_array[i], &local) ||
        __builtin_mul_overflow(remote, remote_array[i], &remote)) {
      return refused();
    }
    made.level[dimensions - 1 - i] = {extents[i - 1], local, remote};
  }
  return made;
}

bool measure(const layout& of, footprint& found) noexcept {
  const strided* rows = of.as_strided();
  return rows != nullptr ? measure_strided(*rows, found) : measure_list(of.as_list(), found);
}

std::string problem_of(const layout& of) {
  if (of.as_strided() != nullptr) return problem_of_strided(*of.as_strided());
  footprint found;
  const std::span<const segment> list = of.as_list();
  std::size_t i = 0;
  for (std::uint64_t all = 0; i < list.size(); ++i) {
    if (!measure_list(list.subspan(i, 1), found)) break;
    all += found.bytes;
    if (all >= most_bytes) break;
  }
  if (i == list.size()) return "no layout that is refused";
  const segment& bad = list[i];
  return fmt::format(
      "a list whose segment {} has {} bytes at offsets {} (local) and {} (remote), "
      "more than can be addressed (2^62, all segments together); give smaller ones",
      i, bad.bytes, bad.local, bad.remote);
}

strided folded(const strided& of) noexcept {
  strided made{of.bytes, 0};
  for (int i = 0; i < of.levels; ++i) {
    const stride_level& each = of.level[static_cast<std::size_t>(i)];
    if (each.count == 0 || of.bytes == 0) return {};
    if (each.count == 1) continue;
    if (made.levels == 0 && each.local_stride == made.bytes && each.remote_stride == made.bytes) {
      made.bytes *= each.count;
      continue;
    }
    if (made.levels > 0) {
      stride_level& below = made.level[static_cast<std::size_t>(made.levels) - 1];
      if (each.local_stride == below.local_stride * below.count &&
          each.remote_stride == below.remote_stride * below.count) {
        below.count *= each.count;
        continue;
      }
    }
    made.level[static_cast<std::size_t>(made.levels++)] = each;
  }
  return made;
}

run_walker::run_walker(const strided& of) noexcept : shape_(folded(of)) {
  done_ = shape_.bytes == 0;
}

/// Begins the next row: the innermost level is through.
void run_walker::carry() noexcept {
  at_[0] = 0;
  for (int i = 1; i < shape_.levels; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const stride_level& each = shape_.level[k];
    local_ += as_offset(each.local_stride);
    remote_ += as_offset(each.remote_stride);
    if (++at_[k] < each.count) return;
    at_[k] = 0;
    local_ -= as_offset(each.local_stride) * as_offset(each.count);
    remote_ -= as_offset(each.remote_stride) * as_offset(each.count);
  }
  done_ = true;
}

bool run_walker::next(run_row& row, std::uint64_t most, std::uint64_t most_runs) noexcept {
  if (is_list_) return next_of_list(row, most, most_runs);
  if (done_ || most == 0) return false;
  const std::uint64_t bytes = as_offset(shape_.bytes);
  const stride_level inner = shape_.levels == 0 ? stride_level{} : shape_.level[0];
  const std::uint64_t at = as_offset(at_[0]);
  row.local = local_ + at * as_offset(inner.local_stride) + within_;
  row.remote = remote_ + at * as_offset(inner.remote_stride) + within_;
  row.local_stride = as_offset(inner.local_stride);
  row.remote_stride = as_offset(inner.remote_stride);
  if (within_ != 0 || most < bytes) {
    row.bytes = std::min(most, bytes - within_);
    row.count = 1;
    within_ += row.bytes;
    if (within_ < bytes) return true;
    within_ = 0;
  } else {
    row.bytes = bytes;
    row.count = std::min({as_offset(inner.count) - at, most / bytes, most_runs});
  }
  at_[0] += static_cast<std::int64_t>(row.count);
  if (at_[0] == inner.count) carry();
  return true;
}

bool run_walker::next_of_list(run_row& row, std::uint64_t most, std::uint64_t most_runs) noexcept {
  auto at = as_offset(at_[0]);
  while (at < list_.size() && list_[at].bytes == 0) ++at;
  at_[0] = static_cast<std::int64_t>(at);
  if (at == list_.size() || most == 0) return false;
  row = {list_[at].local + within_, list_[at].remote + within_, list_[at].bytes - within_, 1, 0, 0};
  const bool whole = within_ == 0;
  within_ = 0;
  ++at;
  const auto first = at;
  while (at < list_.size() && row.bytes < most &&
         (list_[at].bytes == 0 || (list_[at].local == row.local + row.bytes &&
                                   list_[at].remote == row.remote + row.bytes))) {
    row.bytes += list_[at].bytes;
    ++at;
  }
  if (row.bytes > most) {  // the last one is cut: only it reaches beyond
    --at;
    within_ = list_[at].bytes - (row.bytes - most);
    row.bytes = most;
    at_[0] = static_cast<std::int64_t>(at);
    return true;
  }
  at_[0] = static_cast<std::int64_t>(at);
  if (whole && at == first) lengthen(row, most, most_runs);
  return true;
}

/// By the segments behind the only one of a row that are as long, and as far from each other.
void run_walker::lengthen(run_row& row, std::uint64_t most, std::uint64_t most_runs) noexcept {
  auto at = as_offset(at_[0]);
  if (at == list_.size()) return;
  const segment& second = list_[at];
  if (second.bytes != row.bytes || second.local < row.local || second.remote < row.remote) return;
  row.local_stride = second.local - row.local;
  row.remote_stride = second.remote - row.remote;
  const std::uint64_t runs = std::min({list_.size() - at + 1, most / row.bytes, most_runs});
  segment wanted = second;
  while (row.count < runs && list_[at].bytes == row.bytes && list_[at].local == wanted.local &&
         list_[at].remote == wanted.remote) {
    wanted.local += row.local_stride;
    wanted.remote += row.remote_stride;
    ++row.count;
    ++at;
  }
  at_[0] = static_cast<std::int64_t>(at);
}

void run_walker::skip(std::uint64_t bytes) noexcept {
  run_row passed;
  if (is_list_ || done_ || within_ != 0 || local_ != 0 || remote_ != 0 || at_[0] != 0) {
    while (bytes != 0 && next(passed, bytes)) bytes -= passed.bytes * passed.count;
    return;
  }
  // From the start: the indices are the digits of the position.
  const std::uint64_t length = as_offset(shape_.bytes);
  std::uint64_t index = bytes / length;
  within_ = bytes % length;
  for (int i = 0; i < shape_.levels; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const stride_level& each = shape_.level[k];
    at_[k] = static_cast<std::int64_t>(index % as_offset(each.count));
    index /= as_offset(each.count);
    if (k == 0) continue;
    local_ += as_offset(at_[k]) * as_offset(each.local_stride);
    remote_ += as_offset(at_[k]) * as_offset(each.remote_stride);
  }
  done_ = index != 0;
}

}  // namespace upwash
