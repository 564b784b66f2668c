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
  std::uint64_t messages_received = 0;  ///< without those that a `collect` takes
  std::uint64_t bytes_sent = 0;         ///< without headers
  std::uint64_t bytes_received = 0;     ///< of unknown length: as its slot says, else the most
  std::uint64_t header_bytes_sent = 0;  ///< 8 a word
  std::uint64_t header_bytes_received = 0;
  std::uint64_t bytes_copied = 0;   ///< also out of or into a peer's memory
  std::uint64_t bytes_reduced = 0;  ///< also out of or into a peer's memory
  std::uint64_t signals = 0;        ///< also to itself
  std::uint64_t awaits = 0;
  std::uint64_t stages = 0;
  std::uint64_t network_operations = 0;
  std::uint32_t rounds = 0;

  friend bool operator==(const totals&, const totals&) = default;
};

/// Walks the whole schedule of one rank: O(its steps), no memory. `known`: the caller's arrays,
/// and the slots as the receives would write them. Where there are more than `most_steps`, it
/// counts one more than these.
[[nodiscard]] totals count(generator steps, const facts& known = {},
                           std::uint64_t most_steps = UINT64_MAX);

}  // namespace upwash::schedule
