// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank contributes in tests: words that tell whose they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upwash::test {

using words = std::vector<std::uint64_t>;

inline std::uint64_t word_of(int rank, std::size_t i) {
  return static_cast<std::uint64_t>(rank + 1) * 1'000'003 + i;
}

inline words words_of(int rank, std::size_t count) {
  words all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = word_of(rank, i);
  return all;
}

}  // namespace upwash::test
