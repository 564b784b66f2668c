// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One report of a hanging job if nothing outside the job sees all its ranks, for example in jobs of
// external launchers over several nodes. The hanging rank asks the others by messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/observe/hang_board.hpp"
#include "upwash/observe/hang_reporter.hpp"

namespace upwash {
class job;
}

namespace upwash::detail {

/// The inquiry of one rank. Ranks receive the question in their waits, and answer there. For a rank
/// that does not answer, the report says that it has reported nothing. If several ranks hang at
/// once, the lowest asks, and tells the others its report. Messages: 3 a rank and report. Memory:
/// one standing a rank, at the asking rank, during the question.
class hang_inquiry final : public observe::hang_board {
 public:
  /// `here` must outlive this object.
  explicit hang_inquiry(job& here) : observe::hang_board(heard_), here_(here) {}

  void answer(const observe::standing& mine, std::uint32_t question) noexcept override;
  void tell_of_hang() noexcept override;
  void look() override;

  // Handlers of messages.
  static void take_question(incoming& from, std::uint32_t number);
  static void take_answer(incoming& from, std::uint32_t number);
  static void take_reported(incoming& from, std::uint64_t state);

 private:
  struct asker {
    int rank = -1;
    std::uint32_t number = 0;  ///< of its questions
  };
  struct gathering {
    duration asked_at;
    int answers = 0;
    std::vector<observe::standing> all;
  };

  /// Returns the inquiry of a rank for which a message arrives; null if the rank has none.
  [[nodiscard]] static hang_inquiry* at(job& here) noexcept;
  void hear(asker from) noexcept;
  void take(const observe::standing& one, std::uint32_t number);
  void ask_all();
  template <auto Handler, class Value>
  void send_all(Value value);

  job& here_;
  std::atomic<std::uint32_t> heard_{0};  ///< questions
  duration heard_at_;                    ///< time of the last question of another rank
  std::vector<asker> unanswered_;
  std::uint32_t asked_ = 0;  ///< last question of this rank
  bool to_ask_ = false;
  std::optional<gathering> now_;
  observe::hang_reporter reporter_;
};

}  // namespace upwash::detail
