// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the objects on a rank have in common: the arrays, how forces travel, and at rank 0 the
// energies that came.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/md/objects.hpp"
#include "apps/md/run.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/service.hpp"
#include "upwash/objects/aggregated.hpp"

namespace md {

class mesh_part;

class rank_part final : public upwash::service_base {
 public:
  explicit rank_part(upwash::job& here) : here_(here) {}

  using force_items = upwash::aggregated<&cell::take_item>;

  /// Of a run, set before it begins.
  struct links {
    const settings* chosen = nullptr;
    upwash::object_array<cell>* cells = nullptr;
    upwash::object_array<compute>* computes = nullptr;
    force_items* items = nullptr;  ///< where forces travel aggregated
    bool delegated = false;        ///< where a strategy carries forces
    bool bracketed = false;
    upwash::strategy_id by;
    mesh_part* charges = nullptr;   ///< where there are any
    std::uint64_t* done = nullptr;  ///< a word: of so many steps rank 0 knows the energies
  };
  void begin(const links& with);
  [[nodiscard]] const links& on() const noexcept { return on_; }
  [[nodiscard]] outcome& found() noexcept { return found_; }

  [[nodiscard]] const task& what() const noexcept { return on_.chosen->what; }
  /// Charges a simulated processor for so many pairs.
  void charge(std::uint64_t pairs);
  /// While it holds, computes of this rank are held back: a blocking call keeps the processor.
  void hold_computes() noexcept { holds_ = true; }
  void release_computes();
  [[nodiscard]] bool holds_back(const compute_index& one);
  /// An object of this rank is at that step: something else may have kept the rank busy.
  void begin_step(std::int64_t step);
  /// Where an object goes after that step, or -1.
  [[nodiscard]] int goes_to(std::uint64_t object, std::int64_t step);
  /// Whether a cell that has done this step goes on by itself: else all are at a pause, or done.
  [[nodiscard]] bool goes_on(std::int64_t step) const noexcept;
  /// At rank 0.
  void hear(const energies& now);
  static void hear_of(upwash::incoming& in, energies now) {
    in.here().service<rank_part>().hear(now);
  }

 private:
  upwash::job& here_;
  links on_;
  outcome found_;
  std::int64_t late_at_ = 0;  ///< the step at which this rank was late last
  std::uint64_t heard_ = 0;
  bool holds_ = false;
  std::vector<compute_index> held_back_;
};

}  // namespace md
