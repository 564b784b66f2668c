// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Costs of messages on a machine; the last sizes asked for are kept.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/model/cost.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::simulator::detail {

class cost_table {
 public:
  explicit cost_table(const machine& on) : on_(on), kept_(on.levels.size()) {
    for (std::size_t i = 0; i + 1 < on.levels.size(); ++i) {
      if (on.levels[i].has_costs()) inner_.push_back({i, on.levels[i].ranks.value_or(INT_MAX)});
    }
    for (std::size_t i = 0; i < on.levels.size(); ++i) {
      const bool used = i + 1 == on.levels.size() || on.levels[i].has_costs();
      empty_.push_back(used ? model::cost_of_message(on, i, 0) : model::message_cost());
    }
  }

  /// As machine::level_between.
  [[nodiscard]] std::size_t level(int a, int b) const noexcept {
    for (const inner& each : inner_) {
      if (a / each.ranks == b / each.ranks) return each.level;
    }
    return on_.levels.size() - 1;
  }
  /// Valid until the next call.
  [[nodiscard]] const model::message_cost& of(std::size_t level, std::uint64_t bytes) {
    kept& here = kept_[level][(bytes ^ bytes >> 4U ^ bytes >> 10U) % sizes_kept];
    if (!here.is || here.bytes != bytes) {
      here = {true, bytes, model::cost_of_message(on_, level, bytes)};
    }
    return here.cost;
  }
  /// Of nothing but a header.
  [[nodiscard]] const model::message_cost& of_empty(int a, int b) const noexcept {
    return empty_[level(a, b)];
  }
  [[nodiscard]] const model::message_cost& between(int a, int b, std::uint64_t bytes) {
    return of(level(a, b), bytes);
  }

 private:
  static constexpr std::size_t sizes_kept = 16;
  struct inner {
    std::size_t level;
    int ranks;
  };
  struct kept {
    bool is = false;
    std::uint64_t bytes = 0;
    model::message_cost cost;
  };

  const machine& on_;
  std::vector<inner> inner_;
  std::vector<model::message_cost> empty_;  ///< by level
  std::vector<std::array<kept, sizes_kept>> kept_;
};

}  // namespace upwash::simulator::detail
