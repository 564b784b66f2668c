// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that the members of a team share for small collectives: for each of the last operations
// that use it (an epoch) some lines, each for one edge with its tag, and some counters. Its places
// are used again: so every `half` epochs the members settle. A rank tells, by dissemination, once
// its earlier operations are complete, and goes on when it knows it of all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective::detail {

/// A cache line: written by one peer, read by the owner.
struct alignas(64) board_line {
  static constexpr std::size_t payload_bytes = 56;
  std::uint64_t tag = 0;
  std::array<std::byte, payload_bytes> payload;

  /// For the owner of the line's memory only after `came(tag)`.
  [[nodiscard]] bool came(std::uint64_t with) noexcept {
    return std::atomic_ref(tag).load(std::memory_order_acquire) == with;
  }
  void write(std::uint64_t with, const std::byte* from, std::size_t bytes) noexcept {
    if (bytes != 0) std::memcpy(payload.data(), from, bytes);
    std::atomic_ref(tag).store(with, std::memory_order_release);
  }
};

struct alignas(64) board_counter {
  std::uint64_t value = 0;
};

/// Memory: 18 KiB a rank and team, and a pointer a member.
class board {
 public:
  static constexpr std::uint64_t epochs = 32;
  static constexpr std::uint64_t half = epochs / 2;
  static constexpr std::uint32_t lines = 6;  ///< edges below this number have one
  static constexpr std::uint32_t counters = 2;

  /// Collective, blocking: a message to each member and back.
  explicit board(const team& among);

  /// The line of an edge in a member's part, at an epoch.
  [[nodiscard]] board_line& line(int member, std::uint64_t epoch, std::uint32_t edge) {
    return part(member).places[epoch % epochs].edges[edge];
  }
  [[nodiscard]] board_counter& counter(int member, std::uint64_t epoch, std::uint32_t which) {
    return part(member).places[epoch % epochs].counts[which];
  }
  /// The lines and counters of an epoch.
  struct place {
    std::array<board_line, lines> edges;
    std::array<board_counter, counters> counts;
  };
  /// A member's places, epoch modulo `epochs`: valid as long as the board.
  [[nodiscard]] place* places_of(int member) { return part(member).places.data(); }

  /// What a line of the epoch carries as its tag.
  [[nodiscard]] static std::uint64_t tag_of(std::uint64_t epoch) noexcept { return epoch + 1; }

  /// Whether an operation of this epoch must settle before it begins.
  [[nodiscard]] static bool settles(std::uint64_t epoch) noexcept {
    return epoch != 0 && epoch % half == 0;
  }
  /// Epochs of one half may begin once the one that settles for them has.
  [[nodiscard]] static std::uint64_t half_of(std::uint64_t epoch) noexcept { return epoch / half; }
  /// Goes on with settling from `round` on, as far as it comes; true when all members have
  /// completed everything before `epoch`. Called once this rank has. Or they settle otherwise.
  [[nodiscard]] bool settle(std::uint64_t epoch, std::uint32_t& round);
  /// Once settled: the counters of the epochs after the next settling are zero again.
  void clear_counters(std::uint64_t epoch);
  /// The word that the next round of settling waits for.
  [[nodiscard]] const std::uint64_t& settle_word(std::uint32_t round) {
    return part(rank_).settled[round / 2].tag;
  }

  /// Frees the memory. Collective.
  void release() { free(area_); }

 private:
  struct part_of_rank {
    std::array<place, epochs> places;
    std::array<board_line, 31> settled;
  };

  [[nodiscard]] part_of_rank& part(int member) noexcept {
    return *parts_[static_cast<std::size_t>(member)];
  }

  int rank_;
  int size_;
  region area_;
  std::vector<part_of_rank*> parts_;  ///< by member
};

}  // namespace upwash::collective::detail
