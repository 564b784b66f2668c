// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What schemes take, where each member knows its own plans only: a table of estimates by scheme and
// round, which they fill together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"

namespace upwash::neighborhoods {

/// Sizes of blocks that schemes are chosen for. A size goes by the next larger one, since messages
/// of several blocks outgrow eager transfer from size to size, and never shrink.
inline constexpr std::array<std::uint64_t, 14> looked_at{
    8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 131072};
[[nodiscard]] std::size_t class_of(std::uint64_t bytes) noexcept;

/// Whole picoseconds, so sums are the same at all members.
class scheme_costs {
 public:
  /// `rounds` of each scheme, the most of any member.
  scheme_costs(std::span<const std::uint64_t> rounds, int nodes);

  /// A member's part in a scheme, by its plan with lengths.
  void add(std::size_t scheme, const laid_out_plan& layout, int rank, const cost_terms& in);
  /// Of all members the largest of these count, and the sums of those.
  [[nodiscard]] std::span<std::uint64_t> slowest() noexcept { return slowest_; }
  [[nodiscard]] std::span<std::uint64_t> sums() noexcept { return sums_; }

  /// With the parts of all members: for each round the slowest, or the adapter of a node in the
  /// mean.
  [[nodiscard]] double nanoseconds(std::size_t scheme) const;
  /// That all members send and get.
  [[nodiscard]] std::uint64_t messages(std::size_t scheme) const;

 private:
  int nodes_;
  std::vector<std::size_t> begins_;     ///< by scheme, of its rounds; the end
  std::vector<std::uint64_t> slowest_;  ///< work of all, then latencies
  std::vector<std::uint64_t> sums_;     ///< of adapters of all rounds, then messages of schemes
};

}  // namespace upwash::neighborhoods
