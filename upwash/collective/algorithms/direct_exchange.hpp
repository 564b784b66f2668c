// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks, or a block of each rank for each rank. Idea: each block
// is a message; stage i sends to the rank at distance i, or to the one that differs by XOR i. A
// stage may wait for an earlier one, to keep ranks in step. Cost: P-1 messages of m bytes a rank.
// Restrictions: XOR needs a power of two; exchanges are not in place. Source: Kumar 2005, equations
// 3.1, 4.1, 4.2, 4.4.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct direct_stages {
  enum class partners : std::uint8_t { shifted, paired };
  enum class payload : std::uint8_t { same_for_all, own_for_each };
  static constexpr int most_ahead = 16;

  partners order = partners::shifted;
  payload carries = payload::same_for_all;
  /// A stage waits for the receives of `ahead` stages before, at most `most_ahead`; 0: for none.
  int ahead = 0;
};

/// `bytes`: of a block. In place: data for all ranks is in the output already.
[[nodiscard]] schedule::generator direct_exchange(int ranks, int rank, std::uint64_t bytes,
                                                  direct_stages chosen, bool in_place);

}  // namespace upwash::collective
