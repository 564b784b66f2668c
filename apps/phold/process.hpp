// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A logical process of PHOLD (Fujimoto 1990): each event makes one more, some time later, at
// another. No ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace phold {

struct model {
  int processes = 64;      ///< logical ones, in all
  int events = 4;          ///< of each, at the beginning
  double remote = 0.9;     ///< share of the events that go to a process drawn among all
  double lookahead = 0.5;  ///< each event is at least so much later than what made it
  double mean = 1;         ///< of the exponential time on top
  double end = 10;
  std::uint64_t seed = 1;
};

/// Ordered by time; two of one time by what made them.
struct event {
  double time = 0;
  std::int32_t maker = 0;
  std::uint32_t number = 0;  ///< among those of its maker
  std::int32_t at = 0;

  friend bool operator>(const event& a, const event& b) {
    if (a.time != b.time) return a.time > b.time;
    return a.maker != b.maker ? a.maker > b.maker : a.number > b.number;
  }
};

/// What it makes depends on its own events and their order alone.
class process {
 public:
  process() = default;
  /// With its first events.
  process(const model& of, std::int32_t index);

  void take(const event& one);
  /// Of the next event; far behind the end where there is none.
  [[nodiscard]] double next_time() const noexcept;
  /// The next event happens, and makes that which is returned.
  [[nodiscard]] event happen(const model& of);

  [[nodiscard]] std::uint64_t happened() const noexcept { return happened_; }
  /// Of all events that have happened, in their order.
  [[nodiscard]] std::uint64_t mark() const noexcept { return mark_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(index_, made_, happened_, mark_, pending_);
  }

 private:
  [[nodiscard]] event make(const model& of, double now);

  std::int32_t index_ = 0;
  std::uint32_t made_ = 0;
  std::uint64_t happened_ = 0;
  std::uint64_t mark_ = 0;
  std::vector<event> pending_;  ///< a heap
};

/// What all processes have done in the end.
struct outcome {
  std::uint64_t events = 0;
  std::uint64_t mark = 0;
  int windows = 0;

  friend bool operator==(const outcome&, const outcome&) = default;
};

[[nodiscard]] outcome run_serially(const model& of);

}  // namespace phold
