// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: rank r gets x0 op x1 op ... op xr. Idea: in round k hand what is combined so far to the
// rank 2^k further, and put what comes from 2^k before in front. Cost: ceil(log2 P) rounds, a
// message of n bytes in each. The operator need not commute: order is kept. Any P. Source: Hillis
// and Steele 1986.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class doubling_scan {
 public:
  doubling_scan(int ranks, int rank, std::uint64_t bytes, bool in_place)
      : ranks_(ranks), rank_(rank), bytes_(bytes), phase_(in_place ? phase::send : phase::copy) {}

  bool next(schedule::step& out, schedule::tape& on);
  /// In place, at the start: from where on the rank's own is in the output.
  void enter(schedule::mark have) noexcept { value_ = have; }
  /// The last ranks to send wait for their own value, however many rounds ago it was complete.
  [[nodiscard]] std::uint32_t window() const noexcept { return 34; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 2 * bytes_; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class phase : std::uint8_t { copy, send, receive, combine };

  int ranks_;
  int rank_;
  std::uint64_t bytes_;
  phase phase_;
  std::int64_t distance_ = 1;
  std::uint32_t round_ = 0;
  schedule::mark value_ = schedule::never;  ///< the output holds what is combined so far
  schedule::mark sent_ = schedule::never;
  schedule::mark received_ = schedule::never;
  schedule::mark free_[2] = {schedule::never, schedule::never};  ///< scratch, by parity
};

}  // namespace upwash::collective
