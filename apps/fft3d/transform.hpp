// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transform of a box that is in pencils on all ranks, with its two transposes: their data packed
// into one all-to-all, or sent by planes or rows as soon as these are computed (Nishtala 2009, "3D
// FFT: slabs"; Bell et al. 2006 for single rows). The transforms of rows are FFTW's.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "apps/fft3d/partition.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace fft3d {

/// What one all-to-all of a transpose carries.
enum class pieces { packed, slabs, pencils };

struct exchange_options {
  pieces of = pieces::packed;
  bool overlap = false;  ///< all-to-alls are not waited for until their room is needed
  int in_flight = 16;    ///< all-to-alls of a transpose that may be incomplete at once
  double mflops = 1000;  ///< speed of a simulated processor
};

/// One direction of the transform, to be run often. Memory: three times the points of a rank.
class transform {
 public:
  /// `second` has the ranks among which the second axis is in parts, `third` those of the third.
  /// `sign` of the exponent: -1 or 1. Not collective; the teams outlive it.
  transform(const upwash::team& second, const upwash::team& third, const axes& of, int sign,
            const exchange_options& how);
  ~transform();
  transform(transform&&) = delete;

  /// [third][second][first] becomes [first][second][third] in `data`, transformed, not scaled.
  /// Collective over both teams, blocking.
  void run(std::span<complex> data);

  /// What all runs so far did.
  struct seen {
    std::array<std::uint64_t, 2> all_to_alls{};  ///< of each transpose
    upwash::duration exchanging;                 ///< in calls and waits of all-to-alls
  };
  [[nodiscard]] const seen& so_far() const noexcept { return seen_; }

  /// Bytes that one all-to-all of transpose 0 or 1 carries between a pair of ranks.
  [[nodiscard]] std::uint64_t pair_bytes(int which) const;

 private:
  class row_plan;
  struct stage;
  struct flight {
    upwash::request done;
    int first_row = 0;
  };

  void run_stage(stage& which, std::span<complex> from, std::span<complex> to);
  void start(stage& which, int first_row);
  void finish_oldest(stage& which, std::span<complex> to);

  exchange_options how_;
  std::array<std::unique_ptr<stage>, 2> stages_;
  std::unique_ptr<row_plan> last_;
  std::deque<flight> flights_;
  std::vector<complex> between_;
  std::vector<complex> packed_;
  std::vector<complex> arrived_;
  seen seen_;
};

}  // namespace fft3d
