// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace upwash::schedule {

/// Rounds of a generator that are all alike, for the pricer: after `from` of them, `skip(n)` passes
/// over n. One at least is left. 0 rounds: nothing repeats, or the last step emitted was not the
/// last of its round.
struct repetition {
  std::uint64_t from = 0;    ///< rounds before they are alike
  std::uint64_t rounds = 0;  ///< alike rounds, from there on
  std::uint32_t edges = 1;   ///< a round's edges are numbered so much above those of the one before
};

}  // namespace upwash::schedule
