// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the objects on a rank have in common: the kernel, the arrays, how calls travel, and at rank
// 0 what became known.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/planewave/objects.hpp"
#include "apps/planewave/run.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/service.hpp"
#include "upwash/objects/strategy.hpp"

namespace planewave {

/// How the calls of one place travel.
struct carrier {
  bool delegated = false;
  bool bracketed = false;
  upwash::strategy_id by;
};

class rank_part final : public upwash::service_base {
 public:
  explicit rank_part(upwash::job& here) : here_(here) {}

  /// Of a run, set before it begins.
  struct links {
    const settings* chosen = nullptr;
    upwash::object_array<g_plane>* g_planes = nullptr;
    upwash::object_array<r_plane>* r_planes = nullptr;
    carrier to_real;
    carrier to_waves;
    carrier multicast;
    std::uint64_t* done = nullptr;   ///< a word that is 1 when rank 0 knows all steps
    std::uint64_t* ended = nullptr;  ///< and the marks
  };
  void begin(const links& with);
  [[nodiscard]] const links& on() const noexcept { return on_; }
  [[nodiscard]] const settings& chosen() const noexcept { return *on_.chosen; }
  [[nodiscard]] bool computes() const noexcept { return on_.chosen->arithmetic; }
  [[nodiscard]] kernel& compute() noexcept { return *compute_; }
  [[nodiscard]] outcome& found() noexcept { return found_; }

  /// Charges a simulated processor for so many floating point operations.
  void charge(double work);
  /// Where an object goes after that step, or -1.
  [[nodiscard]] int goes_to(const plane_index& object, bool real, std::int64_t step);

  // At rank 0:
  static void hear_density(upwash::incoming& in, std::int64_t step, density_sums of_plane) {
    in.here().service<rank_part>().add_density(step, of_plane);
  }
  static void hear_overlaps(upwash::incoming& in, std::int64_t step, std::vector<overlap> of_all) {
    in.here().service<rank_part>().end_step(step, of_all);
  }
  static void hear_marks(upwash::incoming& in, waves by_state) {
    in.here().service<rank_part>().end(by_state);
  }

 private:
  void add_density(std::int64_t step, const density_sums& of_plane);
  void end_step(std::int64_t step, const std::vector<overlap>& of_all);
  void end(const waves& by_state);
  void one_more();

  upwash::job& here_;
  links on_;
  std::optional<kernel> compute_;
  outcome found_;
  std::int64_t heard_ = 0;
};

}  // namespace planewave
