// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/all_to_all_v.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {
namespace {

packed_blocks one_behind_the_other(std::vector<std::uint64_t>&& bytes) {
  packed_blocks all{std::move(bytes), {}, 0};
  for (const std::uint64_t each : all.bytes) {
    all.offsets.push_back(all.total);
    all.total += each;
  }
  return all;
}

[[noreturn]] void refuse(const team& among, const std::string& why) {
  throw error(error_kind::argument,
              fmt::format("rank {}: all_to_all_v: {}", among.here().rank(), why));
}

}  // namespace

packed_blocks blocks_to_send(const team& among, std::span<const std::int64_t> counts,
                             std::size_t items, std::size_t item_bytes) {
  if (counts.size() != static_cast<std::size_t>(among.size())) {
    refuse(among, fmt::format("{} counts are given for {} members; give one for each",
                              counts.size(), among.size()));
  }
  std::vector<std::uint64_t> bytes;
  std::uint64_t left = items;
  for (std::size_t member = 0; member < counts.size(); ++member) {
    const std::int64_t count = counts[member];
    if (count < 0) refuse(among, fmt::format("count {} for member {} is below 0", count, member));
    if (static_cast<std::uint64_t>(count) > left) {
      refuse(among, fmt::format("member {} is to get {} items, but {} are left of {}", member,
                                count, left, items));
    }
    left -= static_cast<std::uint64_t>(count);
    bytes.push_back(static_cast<std::uint64_t>(count) * item_bytes);
  }
  if (left != 0) {
    refuse(among, fmt::format("the counts add up to {} of {} items; say for each item where it "
                              "goes, or give fewer items",
                              items - left, items));
  }
  return one_behind_the_other(std::move(bytes));
}

packed_blocks blocks_to_come(const team& among, const packed_blocks& sent, call_site site) {
  std::vector<std::uint64_t> bytes(sent.bytes.size());
  all_to_all(among, blocking, std::span<const std::uint64_t>(sent.bytes),
             std::span<std::uint64_t>(bytes), {}, site);
  return one_behind_the_other(std::move(bytes));
}

}  // namespace upwash::detail
