// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counter-based random numbers: a value depends on (seed, stream, counter) only, so a run is
// reproduced from its seed in any order of events.
#pragma once

#include <cstdint>

namespace upwash {

/// splitmix64's finaliser.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// The n-th number of stream `stream` under `seed`: splitmix64's finaliser, applied twice.
[[nodiscard]] constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream,
                                                  std::uint64_t counter) noexcept {
  return mixed_bits(mixed_bits(seed ^ mixed_bits(stream)) + counter);
}

/// A stream of numbers with its own counter.
class random_stream {
 public:
  /// Numbers of one of the streams of a seed, from the first on.
  constexpr random_stream(std::uint64_t seed, std::uint64_t stream)
      : start_(mixed_bits(seed ^ mixed_bits(stream))) {}

  /// The next 64 bits. O(1).
  constexpr std::uint64_t next() noexcept { return mixed_bits(start_ + counter_++); }

  /// Uniform in [0, bound); the bias is below bound / 2^64. `bound` > 0.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<wide>(next()) * bound) >> 64U);
  }

  /// Uniform in [0, 1).
  constexpr double fraction() noexcept { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  std::uint64_t start_;  ///< of seed and stream, mixed once
  std::uint64_t counter_ = 0;
};

}  // namespace upwash
