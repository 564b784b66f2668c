// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Signals and those who await them. A signal is a message without bytes; a look at a peer's
// counter takes as long as one.
#pragma once

#include <tuple>
#include <vector>

#include "upwash/schedule/detail/price/processors.hpp"
#include "upwash/schedule/detail/price/step_flow.hpp"
#include "upwash/schedule/detail/price/wires.hpp"

namespace upwash::schedule::detail {

/// Owns the counters of the ranks walked, each with the steps that await it. Memory: 48 bytes a
/// counter that somebody has used, 24 a rank walked. Used against the processors and the wires.
class signal_counters {
 public:
  /// What it is used against.
  struct uses {
    const walked_ranks& team;
    agenda& events;
    processors& at_work;
    rank_windows& windows;
    messages_under_way& messages;
    message_charges& costs;
    wires& out;
    step_flow& flow;
  };
  signal_counters(const uses& all, int ranks) : uses_(all), all_(static_cast<std::size_t>(ranks)) {}

  // Steps begin.
  void signal(int rank, step_number n, duration at);
  void await(int rank, step_number n, duration at);

  /// A signal is here; the processor counts it.
  void signalled(int rank, std::uint64_t which, duration at);
  void count_up(int rank, std::uint32_t which, duration at);
  /// A peer's counter that is high enough has been seen from afar.
  void seen(int rank, step_number n, duration at);

 private:
  struct counter {
    std::uint64_t value = 0;
    struct waiting {
      std::uint64_t value;
      std::uint64_t order;  ///< of coming
      int rank;
      step_number step;

      /// Who waits for more comes later.
      friend bool operator<(const waiting& a, const waiting& b) noexcept {
        return std::tie(a.value, a.order) > std::tie(b.value, b.order);
      }
    };
    std::vector<waiting> who;  ///< a heap
    std::uint64_t came = 0;
    std::uint32_t chain = 0;  ///< of its owner, when it was last counted up
  };
  [[nodiscard]] counter& counter_of(int rank, std::uint32_t which);
  void see(int rank, step_number n, duration at);

  uses uses_;
  std::vector<std::vector<counter>> all_;  ///< by rank
};

}  // namespace upwash::schedule::detail
