// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one rank writes into its trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "upwash/conduit/endpoint.hpp"
#include "upwash/observe/trace_writer.hpp"

namespace upwash::conduit::traced {

/// Whose calls are written, and by which clock.
struct traced_rank {
  const endpoint& within;
  int rank = 0;
  bool memory_lane = true;
};

class rank_trace final : public waiter {
 public:
  rank_trace(const traced_rank& of, waiter& within, const std::string& path,
             const observe::trace_owner& owner, std::size_t most_bytes, std::size_t chunk_bytes);

  [[nodiscard]] observe::trace_writer& writer() noexcept { return writer_; }
  [[nodiscard]] duration now() const noexcept { return of_.within.now(of_.rank); }

  void sent(const message& m, duration begin);
  /// A message has come; `begin`: when its handler began.
  void arrived(const message& m, std::uint32_t number, duration begin);
  /// The number of a message that comes now.
  [[nodiscard]] std::uint32_t number_of_arrival(const message& m) {
    return ordered_ ? counts_.of(m.source).come[static_cast<std::size_t>(m.kind)]++ : m.sequence;
  }
  void touched(observe::trace_kind kind, int peer, std::size_t bytes, duration begin,
               const char* name);
  /// Whether messages of that lane are written.
  [[nodiscard]] bool writes(lane kind) const noexcept {
    return of_.memory_lane || kind != lane::memory;
  }
  /// Writes the wait that may still be open, and that the rank ends well.
  void close();

  // What the rank idles with: hands on, and writes what it waits for.
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void begin_wait(int rank) override;
  void yield(int rank) override { within_.yield(rank); }
  [[nodiscard]] bool polls_for(int rank) const noexcept override { return within_.polls_for(rank); }
  [[nodiscard]] int looks(int rank) const noexcept override { return within_.looks(rank); }

 private:
  struct channel_counts {
    std::array<std::uint32_t, lane_count> gone{};
    std::array<std::uint32_t, lane_count> come{};
  };
  /// By peer, the last one at hand.
  class peer_counts {
   public:
    [[nodiscard]] channel_counts& of(int peer) {
      if (last_ == nullptr || peer != last_peer_) {
        last_ = &all_[peer];
        last_peer_ = peer;
      }
      return *last_;
    }

   private:
    std::unordered_map<int, channel_counts> all_;  // its entries stay where they are
    channel_counts* last_ = nullptr;
    int last_peer_ = -1;
  };

  void end_wait();
  void write_message(observe::trace_kind kind, const message& m, int peer, std::uint32_t number,
                     duration begin);

  traced_rank of_;
  waiter& within_;
  bool ordered_;
  observe::trace_writer writer_;
  peer_counts counts_;
  std::optional<wait_reason> open_;  ///< the wait that lasts
  duration open_since_;
  duration open_until_;
};

}  // namespace upwash::conduit::traced
