// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: rank r gets x0 op x1 op ... op x(r-1); rank 0 keeps what it has. Idea: each rank hands
// its own to the next, and all but rank 0 scan what they got (doubling_scan). Cost: 1 + ceil(log2
// (P-1)) rounds, a message of n bytes in each. The operator need not commute: order is kept. Any P.
// Source: Hillis and Steele 1986, shifted by one rank.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/doubling_scan.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class doubling_exclusive_scan {
 public:
  doubling_exclusive_scan(int ranks, int rank, std::uint64_t bytes, bool in_place)
      : ranks_(ranks),
        rank_(rank),
        bytes_(bytes),
        in_place_(in_place),
        of_others_(ranks - 1, rank - 1, bytes, true) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return of_others_.window() + 2; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return of_others_.scratch_bytes(); }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class part : std::uint8_t { send, receive, scan };

  int ranks_;
  int rank_;
  std::uint64_t bytes_;
  bool in_place_;
  part part_ = part::send;
  doubling_scan of_others_;
  schedule::mark sent_ = schedule::never;
};

}  // namespace upwash::collective
