// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Asks ranks of this machine for their status, and takes the answers from the control block.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::launch::detail {

/// The time that ranks have to answer. A rank that naps in its wait looks for a question some
/// hundred times in it.
inline constexpr duration time_to_answer = duration::from_ps(2'000'000'000'000);
/// The interval between looks at the silent ranks meanwhile.
inline constexpr duration time_between_glances = duration::from_ps(50'000'000'000);

class standing_gatherer {
 public:
  /// Asks the ranks from `first` to before `end`, which have `patience` to answer. `block` must
  /// outlive this object.
  standing_gatherer(const control_block& block, int first, int end,
                    duration patience = time_to_answer)
      : block_(block),
        first_(first),
        end_(end),
        patience_(patience),
        seen_(static_cast<std::size_t>(block.layout().processes())) {}

  /// Asks. `question`: a number different from the last one.
  void ask(std::uint32_t question, duration now) noexcept;
  [[nodiscard]] bool asking() const noexcept { return asking_; }
  [[nodiscard]] std::uint32_t question() const noexcept { return question_; }

  /// Returns the status by rank, once all have answered or timed out. The status of a rank without
  /// an answer comes from the operating system. Called often; nonblocking.
  [[nodiscard]] std::optional<std::vector<observe::standing>> look(duration now);

 private:
  [[nodiscard]] bool has_answered(int rank) const noexcept;
  [[nodiscard]] bool all_answered() const noexcept;
  [[nodiscard]] bool has_silent_rank(int process) const noexcept;
  void glance(duration now);
  [[nodiscard]] observe::doing seen_from_outside(int process) const;
  [[nodiscard]] observe::standing seen_from_outside(int process, int rank) const;

  /// How often a process was seen on a processor or ready for one, and how often not. One look is
  /// not enough: a sleeping process wakes now and then, and then waits for a processor on a full
  /// machine.
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
  std::vector<glances> seen_;  ///< for each process of the job, since the question; 8 bytes each
  std::uint32_t question_ = 0;
};

}  // namespace upwash::launch::detail
