// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a process knows of its traffic with another one: credits of both directions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/conduit/wire/detail/packet.hpp"

namespace upwash::conduit::wire {

/// A lane carries at most `window` messages that the other side has not said it took. Counts wrap.
/// 64 bytes for each process of the job.
class link {
 public:
  [[nodiscard]] bool has_credit(lane kind, std::uint32_t window) const noexcept {
    return sent_[at(kind)] - taken_there_[at(kind)] < window;
  }
  void count_sent(lane kind) noexcept { ++sent_[at(kind)]; }

  /// A message was taken here. Whether the other side must be told, since it may wait for it.
  [[nodiscard]] bool count_taken(lane kind, std::uint32_t window) noexcept {
    return ++taken_here_[at(kind)] - told_[at(kind)] >= (window + 1) / 2;
  }

  /// What goes out with any packet.
  void tell(packet_header& header, bool throttling) noexcept {
    told_ = taken_here_;
    header.taken = taken_here_;
    header.throttled = throttling ? 1 : 0;
    if (throttling && !told_throttled_) heard_since_ = false;
    told_throttled_ = throttling;
  }
  /// What came with any packet.
  void learn(const packet_header& header) noexcept {
    taken_there_ = header.taken;
    throttled_ = header.throttled != 0;
    heard_since_ = true;
  }

  /// The other side is this process itself: it knows.
  void learn_own(bool throttling) noexcept {
    told_ = taken_there_ = taken_here_;
    throttled_ = told_throttled_ = throttling;
  }

  /// The other side wants no requests from outside handlers.
  [[nodiscard]] bool throttled() const noexcept { return throttled_; }

  /// Whether the other side is to be told of throttling. That it begins only where something has
  /// come since it was told last: who takes nothing would find a heap of such packets one day.
  [[nodiscard]] bool owes_throttling(bool throttling) const noexcept {
    return told_throttled_ != throttling && (heard_since_ || !throttling);
  }

  /// Whether a packet of its own is due for what no other has carried.
  [[nodiscard]] bool owes(std::uint32_t window, bool throttling) const noexcept {
    if (owes_throttling(throttling)) return true;
    for (std::size_t i = 0; i < lane_count; ++i) {
      if (taken_here_[i] - told_[i] >= (window + 1) / 2) return true;
    }
    return false;
  }

  bool listed = false;      ///< among those that are looked at for what they owe
  bool telling = false;     ///< such a packet is under way
  std::uint16_t rooms = 0;  ///< open ones, of all lanes

 private:
  [[nodiscard]] static constexpr std::size_t at(lane kind) noexcept {
    return static_cast<std::size_t>(kind);
  }

  lane_counts sent_{};
  lane_counts taken_there_{};
  lane_counts taken_here_{};
  lane_counts told_{};
  bool throttled_ = false;
  bool told_throttled_ = false;
  bool heard_since_ = true;  ///< something has come since throttling was told
};

}  // namespace upwash::conduit::wire
