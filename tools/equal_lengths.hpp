// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the schedules of irregular collectives ask for at run time, where all lengths are equal: so
// they can be shown, counted and priced without running.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/collective/registry.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::tools {

/// One rank's words, and what its generator sees of them; the lengths are the team's.
struct known_words {
  std::vector<std::uint64_t> destinations;
  std::vector<std::uint64_t> sources;
  std::vector<std::uint64_t> slots;
  schedule::facts facts;
};

class equal_lengths {
 public:
  equal_lengths() = default;
  /// `call.bytes` for each pair; many-to-many: from rank i to i+1 .. i+degree.
  equal_lengths(const collective::problem& call, int degree);

  /// Valid as long as this is. Slots hold the words that messages will bring; finding them walks
  /// the schedule.
  [[nodiscard]] known_words of(int rank, const schedule::generator& steps) const;

 private:
  void fill_headers(schedule::generator steps, known_words& words) const;

  collective::problem call_;
  int degree_ = 0;
  std::vector<std::uint64_t> counts_;  ///< of elements
  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace upwash::tools
