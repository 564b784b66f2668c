// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks, or of each rank one for each rank. Idea: each block in a
// message of its own; in stage i to the rank i further, or to the one that differs by XOR i. A
// stage may wait for an earlier one, which keeps ranks in step. Cost: P-1 messages of m bytes a
// rank. Restrictions: XOR needs a power of two; exchanges are not in place. Source: Kumar 2005,
// equations 3.1, 4.1, 4.2 and 4.4.
#pragma once

#include <array>
#include <cstdint>

#include "upwash/collective/algorithms/detail/in_rounds.hpp"

namespace upwash::collective {

class direct_exchange : public detail::in_rounds<direct_exchange, 3> {
 public:
  enum class partners : std::uint8_t { shifted, paired };
  enum class payload : std::uint8_t { same_for_all, own_for_each };
  static constexpr int most_ahead = 16;

  struct parameters {
    partners order = partners::shifted;
    payload carries = payload::same_for_all;
    /// A stage waits for what comes in the one so many before, at most `most_ahead`; 0: for none.
    int ahead = 0;
  };

  direct_exchange(int ranks, int rank, std::uint64_t bytes, parameters chosen, bool in_place);

  /// Steps wait for one of the last few; the rest is room for messages to overlap.
  [[nodiscard]] std::uint32_t window() const noexcept { return 64; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  friend class detail::in_rounds<direct_exchange, 3>;
  [[nodiscard]] int rounds() const noexcept { return ranks_ == 1 ? 1 : ranks_ - 1; }
  detail::emitted act(int part, schedule::step& out, schedule::tape& on);
  [[nodiscard]] int peer(bool sends) const noexcept;
  [[nodiscard]] schedule::piece for_rank(int rank) const noexcept;
  [[nodiscard]] schedule::piece place_of(int rank) const noexcept;

  int ranks_;
  int rank_;
  std::uint64_t bytes_;
  parameters how_;
  bool in_place_;
  std::array<schedule::mark, most_ahead> came_{};
};

}  // namespace upwash::collective
