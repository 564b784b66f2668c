// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0 says what all ranks measure next; the others follow.
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

  /// Rank 0: all ranks make `calls` calls.
  [[nodiscard]] sample take(std::string_view algorithm, long calls);
  /// Rank 0: how often to take a sample before a disturbed one counts. On a loaded machine all are
  /// disturbed: once where the last ones were, since each lasts time slices there.
  [[nodiscard]] int tries() const noexcept {
    return disturbed_ < most_disturbed ? most_disturbed : 1;
  }
  /// Rank 0: calls that fill `seconds`; their first one warms up.
  [[nodiscard]] long calibrate(std::string_view algorithm, double seconds);
  /// Rank 0: the others may go.
  void end();
  /// The other ranks: measures what rank 0 says until it ends.
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
  int disturbed_ = 0;  ///< the last samples
};

}  // namespace upwash::tuning::detail
