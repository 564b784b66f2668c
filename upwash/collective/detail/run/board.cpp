// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/board.hpp"

#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {

board::board(const team& among, std::uint64_t half_scratch_bytes)
    : half_scratch_bytes_(half_scratch_bytes),
      rank_(among.rank()),
      size_(among.size()),
      area_(allocate(among, sizeof(part_of_rank) + 2 * half_scratch_bytes)),
      parts_(static_cast<std::size_t>(among.size())) {
  // All of them now: fetching waits, and a wait may run callbacks that start collectives, which
  // must not get in front of the one that is being started.
  for (int member = 0; member < size_; ++member) {
    parts_[static_cast<std::size_t>(member)] = local(among.here(), area_.at<part_of_rank>(member));
  }
}

bool board::settle(std::uint64_t epoch, std::uint32_t& round) {
  const std::uint64_t tag = board::tag_of(epoch);
  // Even rounds of the count: to be told; odd: to be heard.
  for (;; ++round) {
    const std::int64_t distance = std::int64_t{1} << (round / 2);
    if (distance >= size_) break;
    if (round % 2 == 0) {
      const auto to = static_cast<int>((rank_ + distance) % size_);
      part(to).settled[round / 2].write(tag, nullptr, 0);
    } else if (std::atomic_ref(part(rank_).settled[round / 2].tag).load(std::memory_order_acquire) <
               tag) {
      return false;
    }
  }
  return true;
}

/// All operations that used them are over, and nobody uses them before this rank settles again.
void board::clear_counters(std::uint64_t epoch) {
  for (std::uint64_t ahead = epoch + half; ahead < epoch + epochs; ++ahead) {
    for (board_counter& each : part(rank_).places[ahead % epochs].counts) each.value = 0;
  }
}

}  // namespace upwash::collective::detail
