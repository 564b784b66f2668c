// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For all_to_all_v: what each rank has for each other one, as its members give it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/schedule/validate.hpp"

namespace upwash::test {

/// The call of all ranks in which rank a has `length(a, b)` bytes for b. Each block lies behind a
/// gap of `gap` bytes; in the input the blocks stand in the opposite order of ranks.
template <class Length>
schedule::expectation uneven_call(int ranks, std::uint64_t gap, const Length& length) {
  const auto wide = [](int number) { return static_cast<std::size_t>(number); };
  schedule::expectation of;
  of.ranks = ranks;
  of.calls.resize(wide(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    schedule::rank_call& call = of.calls[wide(rank)];
    for (auto& words : call.given) words.resize(wide(ranks));
    std::uint64_t output = 0;
    std::uint64_t input = 0;
    for (int other = 0; other < ranks; ++other) {
      call.given[2][wide(other)] = length(other, rank);
      call.given[3][wide(other)] = output += gap;
      output += length(other, rank);
      const int opposite = ranks - 1 - other;
      call.given[0][wide(opposite)] = length(rank, opposite);
      call.given[1][wide(opposite)] = input += gap;
      input += length(rank, opposite);
    }
    call.input_bytes = input;
    call.output_bytes = output;
  }
  return of;
}

}  // namespace upwash::test
