// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table in memory that all ranks reach, updated without its owners: each update an atomic
// exclusive-or on the word.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "apps/randomaccess/table.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/request.hpp"

namespace upwash {
class job;
}

namespace randomaccess {

class onesided_table {
 public:
  /// Collective, blocking. Memory: the rank's part.
  onesided_table(upwash::job& here, std::uint64_t words);

  /// Begins one; blocks for the oldest one where `most_under_way` are.
  void update(std::uint64_t number);
  /// Blocks until all updates that this rank began are in the table.
  void complete();
  /// Words of this rank that are not as at first. All ranks are complete, and have met.
  [[nodiscard]] std::uint64_t changed() const noexcept;
  /// Collective, blocking: gives the memory back. Nothing is under way.
  void free();

 private:
  /// As many as hide the way there and back; a rank's memory for them does not grow with the job.
  static constexpr std::size_t most_under_way = 256;

  upwash::job& here_;
  distribution placed_;
  upwash::region memory_;
  bool by_processor_ = false;  ///< nothing is ever under way
  std::array<upwash::request, most_under_way> under_way_;
  std::size_t next_ = 0;  ///< place of the next one, which the oldest one has
};

}  // namespace randomaccess
