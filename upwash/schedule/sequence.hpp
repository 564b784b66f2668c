// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules made of parts that emit on one tape: a part is written for positions 0, 1, ... of its
// own; here its steps get the team's ranks, edges beside those of other parts, and an entry.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::schedule {

/// As `place`, for a part that begins when all emitted before it is done.
inline void place_behind_all(step& s, placement as, mark& begun, const tape& on) noexcept {
  as.behind_all = true;
  place(s, as, begun, on);
}

/// An algorithm that does its work segment by segment.
template <class Part>
concept segmented = algorithm<Part> && requires(Part& p, const Part& c, step& out, tape& on) {
  /// The next step of this segment; false behind its last, and on to the next segment.
  { p.next_of_segment(out, on) } -> std::same_as<bool>;
  /// This segment is here from a mark on; for parts that do not bring it themselves.
  p.enter(mark{});
  { c.have() } -> std::same_as<mark>;  ///< from where on the latest segment is here
  { c.ended() } -> std::same_as<bool>;
};

/// One whose segments repeat (generator.hpp).
template <class Part>
concept repeating = requires(Part& p, const Part& c) {
  { c.repeats() } -> std::same_as<repetition>;
  p.skip(std::uint64_t{});
};

/// Two parts one behind the other, segment by segment: what the first brings here the second takes
/// on, while the first is at the next segment. Both have as many segments, no two ranks are
/// partners in both (their edges are the same), and at most one uses scratch. Ranks that are not in
/// the first have only the second.
template <segmented First, segmented Second>
class pipeline {
 public:
  pipeline(const std::optional<First>& first, const members& of_first, const Second& second,
           const members& of_second)
      : first_(first), second_(second), of_first_(of_first), of_second_(of_second) {}

  bool next(step& out, tape& on) {
    while (!second_.ended()) {
      if (!in_second_ && first_) {
        if (first_->next_of_segment(out, on)) {
          place(out, {.among = of_first_}, on);
          return true;
        }
        second_.enter(first_->have());
      }
      in_second_ = true;
      if (second_.next_of_segment(out, on)) {
        place(out, {.among = of_second_}, on);
        return true;
      }
      in_second_ = false;
    }
    return false;
  }
  /// Segments that both parts have alike, from behind the last step of one.
  [[nodiscard]] repetition repeats() const requires repeating<First> && repeating<Second> {
    if (!between_segments()) return {};
    repetition both = second_.repeats();
    if (first_) both.rounds = std::min(both.rounds, first_->repeats().rounds);
    return both;
  }
  void skip(std::uint64_t segments) requires repeating<First> && repeating<Second> {
    if (first_) first_->skip(segments);
    second_.skip(segments);
  }
  [[nodiscard]] std::uint32_t window() const {
    return second_.window() + (first_ ? first_->window() : 0);
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const {
    return second_.scratch_bytes() + (first_ ? first_->scratch_bytes() : 0);
  }

 private:
  [[nodiscard]] bool between_segments() const {
    pipeline ahead = *this;
    step s;
    tape nowhere;
    if (!in_second_ && ahead.first_ && ahead.first_->next_of_segment(s, nowhere)) return false;
    return !second_.ended() && !ahead.second_.next_of_segment(s, nowhere);
  }

  std::optional<First> first_;
  Second second_;
  members of_first_;
  members of_second_;
  bool in_second_ = false;
};

}  // namespace upwash::schedule
