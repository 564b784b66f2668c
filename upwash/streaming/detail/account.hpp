// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A member's counts of a stream: pushed, sent and delivered items. An item in a buffer is not
// counted yet, which keeps a push short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "upwash/streaming/detail/departure.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash::streaming {

class account {
 public:
  /// Counts items that have left their buffer, or never were in one.
  void left(std::uint64_t items, std::size_t bytes) noexcept {
    left_ += items;
    bytes_left_ += bytes;
  }
  /// Counts an item that another member pushed and that arrived on its way. `goes_on`: the item is
  /// for a further member.
  void rerouted(bool goes_on) noexcept {
    ++rerouted_;
    if (goes_on) ++seen_.forwarded;
  }
  void shared() noexcept { ++seen_.shared; }
  void sent(cause why, std::size_t bytes) noexcept {
    ++seen_.messages;
    seen_.bytes += bytes;
    ++of_cause(why);
  }
  void delivered(std::uint64_t items) noexcept { seen_.delivered += items; }

  [[nodiscard]] std::uint64_t delivered() const noexcept { return seen_.delivered; }
  /// Returns the number of pushed items. `waiting`: items in buffers.
  [[nodiscard]] std::uint64_t pushed(std::uint64_t waiting) const noexcept {
    return left_ + waiting - rerouted_;
  }
  /// Returns whether nothing was pushed or delivered since the last call. `waiting`: bytes in
  /// buffers.
  [[nodiscard]] bool is_quiet(std::size_t waiting) noexcept {
    const std::uint64_t activity = bytes_left_ + waiting + seen_.delivered;
    return std::exchange(activity_, activity) == activity;
  }
  /// Returns the statistics without the buffers' contents.
  [[nodiscard]] const stream_statistics& seen() const noexcept { return seen_; }

 private:
  [[nodiscard]] std::uint64_t& of_cause(cause why) noexcept {
    switch (why) {
      case cause::full: return seen_.full;
      case cause::threshold: return seen_.threshold;
      case cause::timed_out: return seen_.timed_out;
      case cause::idle: return seen_.idle;
      case cause::asked: return seen_.asked;
      case cause::alone: return seen_.uncombined;
      case cause::urgent: return seen_.urgent;
      case cause::fetched: break;
    }
    return seen_.fetched;
  }

  stream_statistics seen_;
  std::uint64_t left_ = 0;  ///< items
  std::uint64_t bytes_left_ = 0;
  std::uint64_t rerouted_ = 0;
  std::uint64_t activity_ = 0;  ///< at the last query; grows with each push and delivery
};

}  // namespace upwash::streaming
