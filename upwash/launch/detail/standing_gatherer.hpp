// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Asks ranks of this machine what they are in, and takes the answers from the control block.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::launch::detail {

/// How long ranks have to answer. One that naps in its wait looks for a question some hundred times
/// in it.
inline constexpr duration time_to_answer = duration::from_ps(2'000'000'000'000);
/// How often the silent ones are looked at meanwhile.
inline constexpr duration time_between_glances = duration::from_ps(50'000'000'000);

class standing_gatherer {
 public:
  /// Of the ranks from `first` to before `end`, which have so long to answer. `block` outlives it.
  standing_gatherer(const control_block& block, int first, int end,
                    duration patience = time_to_answer)
      : block_(block),
        first_(first),
        end_(end),
        patience_(patience),
        seen_(static_cast<std::size_t>(block.layout().processes())) {}

  /// `question`: another number than that of the last one.
  void ask(std::uint32_t question, duration now) noexcept;
  [[nodiscard]] bool asking() const noexcept { return asking_; }
  [[nodiscard]] std::uint32_t question() const noexcept { return question_; }

  /// Called often; nonblocking. What the ranks are in, by rank, once all have answered or had their
  /// time: of those that have not, what the operating system says.
  [[nodiscard]] std::optional<std::vector<observe::standing>> look(duration now);

 private:
  [[nodiscard]] bool has_answered(int rank) const noexcept;
  [[nodiscard]] bool all_answered() const noexcept;
  [[nodiscard]] bool has_silent_rank(int process) const noexcept;
  void glance(duration now);
  [[nodiscard]] observe::doing seen_from_outside(int process) const;
  [[nodiscard]] observe::standing seen_from_outside(int process, int rank) const;

  /// How often a process was seen on a processor or in line for one, and how often not. One glance
  /// is not enough: what sleeps wakes now and then, and then waits for a processor on a machine
  /// that is full.
  struct glances {
    int running = 0;
    int asleep = 0;
  };

  const control_block& block_;
  int first_;
  int end_;
  duration patience_;
  bool asking_ = false;
  duration asked_at_;
  duration next_glance_;
  std::vector<glances> seen_;  ///< of each process of the job, since the question; 8 bytes each
  std::uint32_t question_ = 0;
};

}  // namespace upwash::launch::detail
