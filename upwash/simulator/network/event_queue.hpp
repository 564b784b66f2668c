// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The queue of a packet network's events: buckets of time, each sorted when its turn comes, and a
// heap for what is far away. Events come in the order of (time, key, value), never
// of insertion.
#pragma once

#include <cstdint>
#include <vector>

namespace upwash::simulator {

/// Constant time an event as long as buckets are about as wide as events are apart. Memory: 24
/// bytes an event pending at the worst moment, 4 bytes a bucket.
class event_queue {
 public:
  struct event {
    std::int64_t at_ps = 0;
    std::uint32_t key = 0;  ///< decides among events of one time; what happens
    std::uint32_t value = 0;

    friend bool operator<(const event& a, const event& b) noexcept {
      if (a.at_ps != b.at_ps) return a.at_ps < b.at_ps;
      return a.key != b.key ? a.key < b.key : a.value < b.value;
    }
  };

  /// Buckets of about `apart_ps` for the next `horizon_ps`; both are rounded to powers of two.
  event_queue(std::int64_t apart_ps, std::int64_t horizon_ps);

  /// Not before the last event that was taken.
  void push(const event& fresh);
  /// Takes the earliest event, unless it is later than `until_ps`.
  bool pop(std::int64_t until_ps, event& next);

  [[nodiscard]] bool empty() const noexcept { return pending_ == 0; }
  /// When the earliest event is; INT64_MAX without one.
  [[nodiscard]] std::int64_t next_ps() {
    if (pending_ == 0) return INT64_MAX;
    if (taken_ == current_.size()) load_next_bucket();
    return current_[taken_].at_ps;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct entry {
    event what;
    std::uint32_t next;
  };

  [[nodiscard]] std::int64_t bucket_of(std::int64_t at_ps) const noexcept {
    return at_ps >> width_bits_;
  }
  void push_near(const event& fresh, std::int64_t bucket);
  void load_next_bucket();
  [[nodiscard]] std::int64_t next_occupied() const noexcept;
  void load(std::int64_t bucket);

  unsigned width_bits_ = 0;
  std::int64_t mask_ = 0;    ///< buckets - 1
  std::int64_t now_ = 0;     ///< the bucket whose events are in `current_`
  std::size_t taken_ = 0;    ///< of `current_`
  std::size_t pending_ = 0;  ///< everywhere
  std::size_t in_buckets_ = 0;
  std::vector<event> current_;           ///< sorted
  std::vector<std::uint32_t> heads_;     ///< of each bucket's list
  std::vector<std::uint64_t> occupied_;  ///< a bit a bucket
  std::vector<entry> entries_;
  std::vector<event> far_;  ///< a heap, the earliest in front
  std::uint32_t free_ = none;
};

}  // namespace upwash::simulator
