// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block of m bytes for each rank. Idea: a block that is to go x ranks
// ahead goes there digit by digit of x, base k: in round r all with digit j go j k^r ranks in one
// message. Cost: (k-1) ceil(log_k P) messages at most; for k = 2 and a power of two P/2 m bytes
// each; each byte sent is copied twice, and 2 P m bytes for turning. Restrictions: not in place.
// Any P. Source: Bruck et al. 1997.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class bruck_all_to_all {
 public:
  /// Input and output hold `bytes` for, and from, each rank in order.
  bruck_all_to_all(int ranks, int rank, std::uint64_t bytes, int radix);

  bool next(schedule::step& out, schedule::tape& on);
  /// Steps wait for one of the last few; the rest is room for messages to overlap.
  [[nodiscard]] std::uint32_t window() const noexcept { return 64; }
  /// The blocks by the way they have to go, and what is sent and received in a round.
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept {
    return (static_cast<std::uint64_t>(ranks_) + 2 * area_) * bytes_;
  }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  enum class part : std::uint8_t { begin, begin_wrapped, pack, send, receive, unpack, place, end };

  /// To the next run of slots that have the digit.
  void next_run() noexcept;
  void begin_digit(int digit) noexcept;
  void move(schedule::step& out, schedule::tape& on, const schedule::piece& from,
            const schedule::piece& to);
  void after_receive() noexcept;
  void after_unpack() noexcept;

  [[nodiscard]] schedule::piece slots(std::int64_t first, std::int64_t count) const noexcept;
  [[nodiscard]] schedule::piece area(std::int64_t first, std::int64_t count,
                                     bool received) const noexcept;
  /// How many slots have a digit other than 0 in this round, up to this one.
  [[nodiscard]] std::int64_t slots_with(int digit) const noexcept;

  detail::dissemination turn_;
  int ranks_;
  int rank_;
  int radix_;
  std::uint64_t bytes_;
  std::uint64_t area_ = 0;  ///< slots that one round sends, at most
  part part_ = part::begin;
  int digit_ = 1;            ///< that is packed, sent, or unpacked
  std::int64_t slot_ = 0;    ///< of the next run
  std::int64_t moved_ = 0;   ///< slots of this round that are in the area, or out of it
  std::int64_t before_ = 0;  ///< of those, of the digits before
  std::int64_t distance_ = 1;
  bool joins_ = false;  ///< the next copy waits for all before
  schedule::mark copied_ = schedule::never;
};

}  // namespace upwash::collective
