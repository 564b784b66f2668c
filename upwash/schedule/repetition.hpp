// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace upwash::schedule {

/// Equal rounds of a generator, for the pricer: after `from` of them, `skip(n)` skips n. At least
/// one is left. 0 rounds: nothing repeats, or the latest step was not the last of its round.
struct repetition {
  std::uint64_t from = 0;    ///< rounds before the equal ones
  std::uint64_t rounds = 0;  ///< number of equal rounds after them
  std::uint32_t edges = 1;   ///< difference of edge numbers between consecutive rounds
};

}  // namespace upwash::schedule
