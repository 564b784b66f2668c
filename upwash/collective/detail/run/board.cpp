// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/board.hpp"

#include <algorithm>

namespace upwash::collective::detail {
namespace {

constexpr int few_members = 8;  ///< of a process: each has what a rank alone would have
constexpr std::uint64_t places_of_many = 32;
constexpr std::uint64_t least_scratch = std::uint64_t{4} << 10U;

/// More ranks of a process share what so many would have. The same at all members.
board_size size_for(const process_group& group, std::uint64_t scratch_bytes) {
  board_size made;
  made.half_scratch_bytes = scratch_bytes;
  if (group.most_members <= few_members) return made;
  made.epochs = places_of_many;
  const std::uint64_t all = scratch_bytes * few_members;
  const std::uint64_t share = all / static_cast<std::uint64_t>(group.most_members);
  made.half_scratch_bytes = std::max(share / 64 * 64, least_scratch);
  return made;
}

}  // namespace

board::board(const team& among, std::uint64_t scratch_bytes)
    : rank_(among.rank()), size_(among.size()), memory_(among, [&](const process_group& group) {
        size_of_ = size_for(group, scratch_bytes);
        return scratch_at() + 2 * half_scratch_bytes();
      }) {}

bool board::settle(std::uint64_t epoch, std::uint32_t& round) {
  const std::uint64_t tag = board::tag_of(epoch);
  // Even rounds of the count: to be told; odd: to be heard.
  for (;; ++round) {
    const std::int64_t distance = std::int64_t{1} << (round / 2);
    if (distance >= size_) break;
    if (round % 2 == 0) {
      const auto to = static_cast<int>((rank_ + distance) % size_);
      settled(to, round / 2).write(tag, nullptr, 0);
    } else if (std::atomic_ref(settled(rank_, round / 2).tag).load(std::memory_order_acquire) <
               tag) {
      return false;
    }
  }
  return true;
}

/// All operations that used them are over, and nobody uses them before this rank settles again.
void board::clear_counters(std::uint64_t epoch) {
  for (std::uint64_t ahead = epoch + epochs() / 2; ahead < epoch + epochs(); ++ahead) {
    for (board_counter& each : place_of(rank_, ahead).counts) each.value = 0;
  }
}

}  // namespace upwash::collective::detail
