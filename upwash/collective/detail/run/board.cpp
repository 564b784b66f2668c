// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/board.hpp"

#include <algorithm>
#include <map>

#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {
namespace {

constexpr int few_members = 8;  ///< of a process: each has what a rank alone would have
constexpr std::uint64_t places_of_many = 32;
constexpr std::uint64_t least_scratch = std::uint64_t{4} << 10U;

/// All processes together have so much of either half, and each as much as asked for, of few.
std::uint64_t scratch_among(int processes, std::uint64_t scratch_bytes) {
  constexpr std::uint64_t most_of_all = std::uint64_t{64} << 20U;
  const std::uint64_t share = most_of_all / static_cast<std::uint64_t>(processes);
  return std::max(std::min(scratch_bytes, std::bit_floor(share)), least_scratch);
}

/// More ranks of a process share what so many would have. The same at all members.
std::uint64_t scratch_for(int most_members, std::uint64_t scratch_bytes) {
  if (most_members <= few_members) return scratch_bytes;
  const std::uint64_t all = scratch_bytes * few_members;
  const std::uint64_t share = all / static_cast<std::uint64_t>(most_members);
  return std::max(share / 64 * 64, least_scratch);
}

/// All members together have so much, or each the least that is of use. The same at all members.
std::uint64_t prices_among(int members, board::prices are) {
  constexpr std::uint64_t all = std::uint64_t{256} << 10U;
  constexpr std::uint64_t least = std::uint64_t{2} << 10U;
  if (are == board::prices::none) return 0;
  return std::max(all / static_cast<std::uint64_t>(members) / 64 * 64, least);
}

board_size size_for(int most_members, std::uint64_t scratch_bytes) {
  board_size made;
  made.half_scratch_bytes = scratch_for(most_members, scratch_bytes);
  if (most_members > few_members) made.epochs = places_of_many;
  return made;
}

/// Of one process, wherever it is. O(members).
int most_members_of_a_process(const team& among) {
  const conduit::endpoint& at = host(among.here()).endpoint();
  std::map<int, int> members;
  int most = 0;
  for (int member = 0; member < among.size(); ++member) {
    most = std::max(most, ++members[at.place(among.world_rank(member)).process]);
  }
  return most;
}

}  // namespace

board::board(const team& among, std::uint64_t scratch_bytes, prices are)
    : rank_(among.rank()), size_(among.size()), memory_(among, [&](const process_group& group) {
        size_of_ = size_for(group.most_members, scratch_among(group.processes, scratch_bytes));
        if (group.processes > 1) size_of_.price_bytes = prices_among(among.size(), are);
        return part_bytes();
      }) {}

board::board(const team& among, std::uint64_t scratch_bytes, std::uint64_t epochs)
    : rank_(among.rank()), size_(among.size()), memory_(among, [&](const process_group& group) {
        size_of_ = size_for(group.most_members, scratch_among(group.processes, scratch_bytes));
        size_of_.epochs = epochs;
        return part_bytes();
      }) {}

board::board(const team& among, const board_size& size, spans over)
    : size_of_(size),
      spans_(over),
      rank_(among.rank()),
      size_(among.size()),
      memory_(team_memory::inside_nodes(among, part_bytes())) {}

std::unique_ptr<board> board::of_nodes(const team& among, std::uint64_t scratch_bytes, prices are) {
  board_size size = size_for(most_members_of_a_process(among), scratch_bytes);
  size.price_bytes = prices_among(among.size(), are);
  return std::unique_ptr<board>(new board(among, size, spans::node));
}

std::unique_ptr<board> board::of_nodes(const team& among, std::uint64_t scratch_bytes,
                                       std::uint64_t epochs) {
  board_size size = size_for(most_members_of_a_process(among), scratch_bytes);
  size.epochs = epochs;
  return std::unique_ptr<board>(new board(among, size, spans::node));
}

std::uint64_t board::scratch_inside_nodes(const team& among) {
  return scratch_for(most_members_of_a_process(among), node_scratch_bytes);
}

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
