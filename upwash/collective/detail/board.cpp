// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/board.hpp"

#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {

board::board(const team& among)
    : among_(among),
      rank_(among.rank()),
      size_(among.size()),
      area_(allocate(among, sizeof(part_of_rank))),
      parts_(static_cast<std::size_t>(among.size())) {
  // Whom collectives of this rank talk to most: later starts only load and store.
  for (int distance = 1; distance < size_; distance *= 2) {
    static_cast<void>(part((rank_ + distance) % size_));
  }
  static_cast<void>(part(rank_));
}

board::part_of_rank& board::fetch(int member) {
  part_of_rank*& known = parts_[static_cast<std::size_t>(member)];
  known = local(among_.here(), area_.at<part_of_rank>(member));
  return *known;
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
