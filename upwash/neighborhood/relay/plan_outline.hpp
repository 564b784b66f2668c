// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A short form of a rank's plan with the facts that its price depends on. Members send it to one
// member, which prices all plans (price_plans.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/neighborhood/relay/relay_schedule.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::neighborhoods {

/// A schedule without offsets. Consecutive copies are one copy with their total bytes. Data in
/// shared memory is copied by the reader as by its owner. Five words a step.
class plan_outline {
 public:
  /// `shared_scratch`: as for laid_out_plan::steps.
  explicit plan_outline(const laid_out_plan& all, std::uint64_t shared_scratch);
  /// An outline without steps.
  plan_outline();
  /// An outline from the words of another one.
  explicit plan_outline(std::vector<std::int32_t>&& words) : words_(std::move(words)) {}

  [[nodiscard]] const std::vector<std::int32_t>& words() const noexcept { return words_; }
  [[nodiscard]] std::size_t steps() const noexcept;
  /// Returns whether no step is a message: blocks lie in memory that all share.
  [[nodiscard]] bool is_shared() const noexcept;
  /// Returns a schedule in which peers are `seats[peer]`. This object and the seats outlive it.
  [[nodiscard]] schedule::generator schedule(std::span<const int> seats) const;

 private:
  std::vector<std::int32_t> words_;
};

}  // namespace upwash::neighborhoods
