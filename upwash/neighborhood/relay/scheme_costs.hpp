// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of schemes if each member knows only its own plans: a table of estimates by scheme and
// round, which the members fill together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"

namespace upwash::neighborhoods {

/// Block sizes that schemes are chosen for. A size is rounded up to the next one, because messages
/// of several blocks exceed the eager limit from size to size, and never shrink.
inline constexpr std::array<std::uint64_t, 14> looked_at{
    8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 131072};
[[nodiscard]] std::size_t class_of(std::uint64_t bytes) noexcept;

/// Whole picoseconds, so that sums are equal at all members.
class scheme_costs {
 public:
  /// `rounds`: of each scheme, the maximum over all members.
  scheme_costs(std::span<const std::uint64_t> rounds, int nodes);

  /// Adds a member's part in a scheme, from its plan with lengths.
  void add(std::size_t scheme, const laid_out_plan& layout, int rank, const cost_terms& in);
  /// The members must combine these values: `slowest` by maximum, `sums` by addition.
  [[nodiscard]] std::span<std::uint64_t> slowest() noexcept { return slowest_; }
  [[nodiscard]] std::span<std::uint64_t> sums() noexcept { return sums_; }

  /// Returns the time of a scheme after the combination: for each round the slowest member, or the
  /// mean adapter of a node.
  [[nodiscard]] double nanoseconds(std::size_t scheme) const;
  /// Returns the messages that all members send and receive.
  [[nodiscard]] std::uint64_t messages(std::size_t scheme) const;

 private:
  int nodes_;
  std::vector<std::size_t> begins_;     ///< by scheme: begin of its rounds; then the end
  std::vector<std::uint64_t> slowest_;  ///< work of all rounds, then latencies
  std::vector<std::uint64_t> sums_;     ///< adapters of all rounds, then messages of schemes
};

}  // namespace upwash::neighborhoods
