// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Events in the order of time, none before the last one taken: a radix heap, whose buckets are
// runs of memory. Events of one time go by their own order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace upwash::schedule::detail {

/// Event: member `at` (a duration, not negative) and `<` for events of the same time.
template <class Event>
class event_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  void push(const Event& what) {
    ++size_;
    const std::size_t bucket = bucket_of(what);
    if (bucket != 0) {
      buckets_[bucket].push_back(what);
    } else {
      late_.push_back(what);
      std::push_heap(late_.begin(), late_.end(), later);
    }
  }

  /// The earliest; the queue is not empty.
  [[nodiscard]] Event pop() {
    if (next_ == now_.size() && late_.empty()) advance();
    --size_;
    if (late_.empty() || (next_ < now_.size() && now_[next_] < late_.front())) return now_[next_++];
    std::pop_heap(late_.begin(), late_.end(), later);
    const Event first = late_.back();
    late_.pop_back();
    return first;
  }

  /// The next one, if it is of the same time as the last one taken; else null.
  [[nodiscard]] const Event* next_of_same_time() const noexcept {
    const Event* const first = next_ < now_.size() ? &now_[next_] : nullptr;
    if (late_.empty()) return first;
    return first != nullptr && *first < late_.front() ? first : &late_.front();
  }

  /// All events change their times; none may come before the last one taken.
  template <class Change>
  void change(const Change& by) {
    std::vector<Event> all(now_.begin() + static_cast<std::ptrdiff_t>(next_), now_.end());
    all.insert(all.end(), late_.begin(), late_.end());
    for (std::vector<Event>& each : buckets_) {
      all.insert(all.end(), each.begin(), each.end());
      each.clear();
    }
    now_.clear();
    late_.clear();
    next_ = size_ = 0;
    for (Event& each : all) {
      by(each);
      push(each);
    }
  }

 private:
  [[nodiscard]] static std::uint64_t time_of(const Event& what) noexcept {
    return static_cast<std::uint64_t>(what.at.ps());
  }
  /// By the highest bit in which its time differs from that of the last one taken.
  [[nodiscard]] std::size_t bucket_of(const Event& what) const noexcept {
    return static_cast<std::size_t>(std::bit_width(time_of(what) ^ last_));
  }

  static bool later(const Event& a, const Event& b) noexcept { return b < a; }

  void advance() {
    now_.clear();
    next_ = 0;
    const auto first = std::find_if(buckets_.begin(), buckets_.end(),
                                    [](const std::vector<Event>& each) { return !each.empty(); });
    last_ =
        time_of(*std::min_element(first->begin(), first->end(), [](const Event& a, const Event& b) {
          return time_of(a) < time_of(b);
        }));
    for (const Event& each : *first) {
      const std::size_t bucket = bucket_of(each);
      (bucket == 0 ? now_ : buckets_[bucket]).push_back(each);
    }
    first->clear();
    std::sort(now_.begin(), now_.end());
  }

  std::array<std::vector<Event>, 65> buckets_;
  std::vector<Event> now_;   ///< of time last_, in order
  std::vector<Event> late_;  ///< the same, posted since: a heap
  std::size_t next_ = 0;     ///< of now_
  std::size_t size_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace upwash::schedule::detail
