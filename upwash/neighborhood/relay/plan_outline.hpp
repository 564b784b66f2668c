// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank does by its plan, as far as the price goes: so short that members send it to one of
// them, who prices all (price_plans.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/neighborhood/relay/relay_schedule.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::neighborhoods {

/// A schedule without places: copies that follow one another are one, of so many bytes as all, and
/// what lies in memory that ranks share is copied from there as by its owner. Five words a step.
class plan_outline {
 public:
  /// `shared_scratch`: as for laid_out_plan::steps.
  explicit plan_outline(const laid_out_plan& all, std::uint64_t shared_scratch);
  /// No steps.
  plan_outline();
  /// From the words of another.
  explicit plan_outline(std::vector<std::int32_t>&& words) : words_(std::move(words)) {}

  [[nodiscard]] const std::vector<std::int32_t>& words() const noexcept { return words_; }
  [[nodiscard]] std::size_t steps() const noexcept;
  /// No step is a message: blocks lie in memory that all share.
  [[nodiscard]] bool is_shared() const noexcept;
  /// Peers are `seats[peer]`. This object and the seats outlive it.
  [[nodiscard]] schedule::generator schedule(std::span<const int> seats) const;

 private:
  std::vector<std::int32_t> words_;
};

}  // namespace upwash::neighborhoods
