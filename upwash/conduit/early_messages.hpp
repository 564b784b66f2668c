// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that arrived before their rank had a sink.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "upwash/conduit/message.hpp"

namespace upwash::conduit {

/// The early messages of an endpoint's ranks, by the rank's index there; for each rank in the order
/// of arrival. One thread at a time, except for `empty`.
class early_messages {
 public:
  explicit early_messages(std::size_t ranks) : queues_(ranks) {}

  /// Returns whether no message is kept. From any thread; the answer may be out of date.
  [[nodiscard]] bool empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }
  [[nodiscard]] bool waits_for(std::size_t local) const noexcept { return !queues_[local].empty(); }

  /// Keeps a copy of a message.
  void keep(std::size_t local, const message& arrived) {
    kept copy{arrived, {arrived.arguments.begin(), arrived.arguments.end()}};
    copy.bytes.insert(copy.bytes.end(), arrived.payload.begin(), arrived.payload.end());
    queues_[local].push_back(std::move(copy));
    count_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Calls `hand_over(message, local)` for the kept messages of all ranks that have a sink now.
  /// Returns the number of messages.
  template <class HandOver>
  int deliver(const std::vector<sink*>& sinks, const HandOver& hand_over) {
    int delivered = 0;
    for (std::size_t local = 0; local < queues_.size(); ++local) {
      for (auto& queue = queues_[local]; sinks[local] != nullptr && !queue.empty(); ++delivered) {
        const kept one = std::move(queue.front());
        queue.pop_front();
        count_.fetch_sub(1, std::memory_order_relaxed);
        message m = one.header;
        m.arguments = std::span(one.bytes).first(one.header.arguments.size());
        m.payload = std::span(one.bytes).subspan(one.header.arguments.size());
        hand_over(m, local);
      }
    }
    return delivered;
  }

 private:
  struct kept {
    message header;                ///< only the lengths of its spans are valid
    std::vector<std::byte> bytes;  ///< arguments, payload
  };

  std::vector<std::deque<kept>> queues_;
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace upwash::conduit
