// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The unacknowledged puts that are known to be at their targets, for all kinds of fences: for each
// target a count, in terms of core's `peer_traffic::sent`, that only grows.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "upwash/core/job.hpp"
#include "upwash/core/peer_traffic.hpp"
#include "upwash/core/service.hpp"

namespace upwash::detail {

/// The counts. Memory: 16 bytes for each rank that received any such put.
class settled_puts final : public service_base {
 public:
  explicit settled_puts(job& here) : here_(here) {}

  /// Notes that the first `count` puts by message to the rank have arrived.
  void settle(int rank, std::uint64_t count) {
    std::uint64_t& known = there_[rank];
    if (count <= known) return;
    total_ += count - known;
    known = count;
  }
  [[nodiscard]] std::uint64_t at(int rank) const {
    const auto found = there_.find(rank);
    return found == there_.end() ? 0 : found->second;
  }

  /// Returns whether no operation of this rank is left to be fenced anywhere. O(1).
  [[nodiscard]] bool all() const {
    const peer_traffic now = traffic_towards_all(here_);
    return is_told(now) && now.unflushed == 0 && now.sent == total_;
  }
  /// Returns whether unacknowledged puts are left to be fenced at the rank.
  [[nodiscard]] bool must_ask(const peer_traffic& now, int rank) const {
    return now.unflushed != 0 || now.unsent != 0 || now.sent != at(rank);
  }
  /// Returns whether all operations with completion are complete, and the counts are final.
  [[nodiscard]] static bool is_told(const peer_traffic& now) noexcept {
    return now.begun == now.complete && now.unsent == 0;
  }

 private:
  job& here_;
  std::unordered_map<int, std::uint64_t> there_;
  std::uint64_t total_ = 0;
};

}  // namespace upwash::detail
