// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The open steps of all ranks walked, and what has been emitted so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "upwash/schedule/detail/price/rank_window.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::schedule::detail {

/// What a send or a receive carries, with its header.
[[nodiscard]] inline std::uint64_t bytes_of(const step& what) noexcept {
  const piece& data = what.kind == step_kind::send ? what.left : what.into;
  return data.bytes + 8 * std::uint64_t{what.header.count};
}
[[nodiscard]] inline wire wire_of(const step& what, const transfer_rules& rules) {
  return lower(bytes_of(what), what.placed, what.acknowledged, rules);
}

/// Owns a window a rank and the sums over all steps emitted. Memory: about 300 bytes a rank, 300 a
/// step of its window. Used against the generators.
class rank_windows {
 public:
  explicit rank_windows(int ranks) { all_.reserve(static_cast<std::size_t>(ranks)); }
  /// The next rank's.
  void add(const generator& steps, const facts& known, std::uint32_t least_steps) {
    all_.emplace_back(steps, known, least_steps);
  }

  [[nodiscard]] rank_window& operator[](int rank) { return all_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const rank_window& operator[](int rank) const {
    return all_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] open_step& at(int rank, step_number n) { return (*this)[rank].at(n); }
  [[nodiscard]] step& step_at(int rank, step_number n) { return at(rank, n).what; }
  [[nodiscard]] bool all_finished() const {
    return std::all_of(all_.begin(), all_.end(),
                       [](const rank_window& each) { return each.finished(); });
  }

  /// One that was emitted.
  void count(const step& emitted) noexcept;
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::uint32_t rounds() const noexcept { return rounds_; }
  /// As price_result has it.
  [[nodiscard]] std::uint64_t edge_sizes() const noexcept { return edge_sizes_; }

 private:
  std::vector<rank_window> all_;
  std::uint64_t steps_ = 0;
  std::uint32_t rounds_ = 0;
  std::uint64_t edge_sizes_ = 0;
};

}  // namespace upwash::schedule::detail
