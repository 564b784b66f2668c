// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts the steps, messages and bytes of one rank's schedule on logical edges, as the closed
// formulas of the papers do.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::schedule {

struct totals {
  std::uint64_t steps = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;  ///< without messages of a `collect`
  std::uint64_t bytes_sent = 0;         ///< without headers
  std::uint64_t bytes_received = 0;  ///< for unknown lengths: the length in the slot, otherwise the
                                     ///< maximum
  std::uint64_t header_bytes_sent = 0;  ///< 8 a word
  std::uint64_t header_bytes_received = 0;
  std::uint64_t bytes_copied = 0;   ///< also from or to a peer's memory
  std::uint64_t bytes_reduced = 0;  ///< also from or to a peer's memory
  std::uint64_t signals = 0;        ///< also to itself
  std::uint64_t awaits = 0;
  std::uint64_t stages = 0;
  std::uint64_t network_operations = 0;
  std::uint32_t rounds = 0;

  friend bool operator==(const totals&, const totals&) = default;
};

/// Walks the whole schedule of one rank and returns the totals. `known`: the caller's arrays, and
/// the slots as the receives would write them. Stops after `most_steps` steps and then counts one
/// more. O(steps), no memory.
[[nodiscard]] totals count(generator steps, const facts& known = {},
                           std::uint64_t most_steps = UINT64_MAX);

}  // namespace upwash::schedule
