// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts what one rank's schedule does, on logical edges: what the closed formulas of the papers
// speak of.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::schedule {

struct totals {
  std::uint64_t steps = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_copied = 0;
  std::uint64_t bytes_reduced = 0;
  std::uint32_t rounds = 0;

  friend bool operator==(const totals&, const totals&) = default;
};

/// Walks the whole schedule of one rank: O(its steps), no memory.
[[nodiscard]] totals count(generator steps);

}  // namespace upwash::schedule
