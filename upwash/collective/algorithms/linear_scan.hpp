// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: rank r gets x0 op x1 op ... op xr. Idea: a chain; each rank combines what comes from the
// rank before with its own, and hands it on. Cost: one message of n bytes a rank, P-1 rounds. The
// operator need not commute: order is kept. Any P. The baseline of scans.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class linear_scan {
 public:
  linear_scan(int ranks, int rank, std::uint64_t bytes, bool in_place)
      : ranks_(ranks), rank_(rank), bytes_(bytes), in_place_(in_place) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 2; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class part : std::uint8_t { receive, combine, send, end };

  int ranks_;
  int rank_;
  std::uint64_t bytes_;
  bool in_place_;
  part part_ = part::receive;
  schedule::mark value_ = schedule::never;
};

}  // namespace upwash::collective
