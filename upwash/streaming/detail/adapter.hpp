// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Drives the policy of one stream at one member: counts the contents of messages, informs the
// policy at the end of each phase, and applies its choices. The counting costs time for each
// message, and none for an item.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/core/idle_clock.hpp"
#include "upwash/streaming/adapt.hpp"
#include "upwash/streaming/detail/departure.hpp"
#include "upwash/streaming/detail/policy.hpp"

namespace upwash::streaming {

class engine;

/// Estimates the number of distinct destinations from a sample. Memory: a bit a member.
class distinct_count {
 public:
  explicit distinct_count(int members) : seen_(static_cast<std::size_t>(members)) {}
  void add(int member);
  void clear();
  /// Estimates D by solving "expected number of distinct destinations among the drawn items, drawn
  /// uniformly from D destinations" for D.
  [[nodiscard]] double estimate() const;
  [[nodiscard]] double seen() const noexcept { return different_; }
  [[nodiscard]] double drawn() const noexcept { return drawn_; }

 private:
  std::vector<bool> seen_;
  double different_ = 0;
  double drawn_ = 0;
};

/// The most frequent of many values, in few counters (Misra and Gries 1982). Contains every value
/// with a share above one in nine. Counts are at most a ninth of the total too low, and never too
/// high.
class frequent {
 public:
  struct one {
    int member = -1;
    std::uint64_t count = 0;
  };
  void add(int member, std::uint64_t times);
  void clear() noexcept { all_ = {}; }
  [[nodiscard]] const std::array<one, 8>& all() const noexcept { return all_; }

 private:
  std::array<one, 8> all_;
};

class adapter final : public observer {
 public:
  /// Observes the stream from now on, and sets its parameters.
  adapter(engine& of, const installation& with);
  ~adapter();

  void sent(const departure& what) override;
  void finished(std::uint64_t idle_ns) override;
  [[nodiscard]] std::uint64_t idle_ns() const override;
  /// Stores the findings when the stream closes.
  void remember();

  /// Returns whether any setting is left to choose.
  [[nodiscard]] static bool wanted_by(const engine& of);

 private:
  /// A member and the number of items that it received directly in this phase.
  struct direct_way {
    int member = -1;
    std::uint64_t items = 0;
  };

  [[nodiscard]] traffic phase_so_far() const;
  void sample(const departure& what);
  void apply();
  void write_down() const;
  void choose_direct_ways();
  void drop_idle_ways();

  engine& of_;
  stream_memory* const memory_;
  const stream_kind kind_;
  policy policy_;
  distinct_count destinations_;
  frequent often_;
  std::vector<direct_way> direct_;
  std::uint64_t messages_ = 0;
  std::uint32_t random_ = 1;
  std::shared_ptr<const idle_clock> idles_;  ///< if waiting is to be measured
  // Of this phase:
  duration idle_before_{};
  std::uint64_t pushed_before_ = 0;
  duration began_{};
  std::uint64_t items_ = 0;  ///< in its messages
  std::uint64_t bytes_ = 0;  ///< without destinations
};

}  // namespace upwash::streaming
