// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0 decides the next measurement of all ranks; the others follow.
#pragma once

#include <cstdint>
#include <string_view>

#include "upwash/core/job.hpp"
#include "upwash/tuning/placement_probe.hpp"
#include "upwash/tuning/trial.hpp"

namespace upwash::tuning::detail {

struct sample {
  double ns = 0;
  placement where = placement::shared;  ///< disturbed: the cores moved meanwhile
};

class conductor {
 public:
  /// Collective over the world.
  conductor(job& here, const collective::problem& call);

  /// Rank 0: lets all ranks make `calls` calls.
  [[nodiscard]] sample take(std::string_view algorithm, long calls);
  /// Rank 0: number of attempts before a disturbed sample counts. On a loaded machine all samples
  /// are disturbed and last several time slices; then there is one attempt.
  [[nodiscard]] int tries() const noexcept {
    return disturbed_ < most_disturbed ? most_disturbed : 1;
  }
  /// Rank 0: returns the number of calls that fill `seconds`; the first one warms up.
  [[nodiscard]] long calibrate(std::string_view algorithm, double seconds);
  /// Rank 0: releases the other ranks.
  void end();
  /// Other ranks: measures as rank 0 orders until it ends.
  void follow();

  [[nodiscard]] bool simulated() const noexcept { return simulated_; }

 private:
  /// Plain data, sent as it is.
  struct order {
    std::int64_t calls = 0;  ///< 0: the end
    char algorithm[120] = {};
  };
  [[nodiscard]] sample carry_out(const order& what);

  static constexpr int most_disturbed = 5;

  job& here_;
  placement_probe probe_;
  trial trial_;
  bool simulated_;
  int disturbed_ = 0;  ///< the last samples in a row
};

}  // namespace upwash::tuning::detail
