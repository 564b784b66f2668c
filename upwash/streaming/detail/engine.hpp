// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A stream of records of bytes: buffers by next hop, messages, delivery. The typed stream is on
// top (stream.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"
#include "upwash/model/grid.hpp"
#include "upwash/streaming/detail/waves.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash::streaming {

/// What a message holds. Records of one size have nothing before them where they have arrived, and
/// where they are to go (4 bytes) where not; records of different sizes have their length (4 bytes)
/// too.
enum class content : std::uint32_t { arrived, routed };

/// Memory at a member: for each next hop that was used up to two buffers, and 4 bytes for each
/// member of the team. On a grid of d dimensions near a cube there are d * (P^(1/d) - 1) next hops.
class engine : public counted_work {
 public:
  /// Called in handlers: never waits. `record_bytes` 0: sizes differ.
  engine(const team& among, std::size_t record_bytes, const stream_options& with);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Copies the record. Outside handlers it may wait for credit, and run handlers meanwhile.
  void push(int destination, std::span<const std::byte> record) {
    const slot_pair& way = way_to(destination);
    ++seen_.pushed;
    add(way.buffer, destination, record);
  }
  /// The same for records of one size, known here.
  template <std::size_t Bytes>
  void push_fixed(int destination, const void* record) {
    const slot_pair& way = way_to(destination);
    buffer& into = buffers_[way.buffer];
    if (into.routed || into.used + Bytes > threshold_ || into.data == nullptr) [[unlikely]] {
      return push(destination, {static_cast<const std::byte*>(record), Bytes});
    }
    ++seen_.pushed;
    std::memcpy(into.data + into.used, record, Bytes);
    into.used += Bytes;
  }

  /// Sends what waits in buffers. Outside handlers it may wait for credit.
  void flush() override { send_all(seen_.asked); }
  /// Everything pushed anywhere, in handlers too, has been handled everywhere. Collective.
  void finish() { end_.wait(); }
  [[nodiscard]] tally count() const override { return {seen_.pushed, seen_.delivered}; }

  /// From the service: looks at timeouts and idleness. How many buffers were sent.
  int progress();
  void received(content what, std::span<const std::byte> payload);

  [[nodiscard]] const stream_statistics& statistics() const noexcept { return seen_; }
  [[nodiscard]] const team& among() const noexcept { return among_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::string describe_pending() const;
  void close() noexcept { closed_ = true; }

 protected:
  ~engine() = default;
  /// Records that have arrived, one after the other; of different sizes: one, without its length.
  virtual void deliver(std::span<const std::byte> records) = 0;
  /// Messages find it from now on, or no more.
  void join();
  void leave();
  /// Names stream, rank and item: the first of the last `left` that came.
  [[noreturn]] void handler_threw(std::size_t left, const char* what) const;

 private:
  struct buffer {
    std::byte* data = nullptr;  ///< null: not used yet
    std::size_t used = 0;
    int hop = -1;  ///< world rank
    bool routed = false;
    duration since{};  ///< when its first record came, where there is a timeout
    std::vector<std::byte> room;
    /// Where order counts: a message of it waits for credit, and those of handlers behind it.
    bool sending = false;
    std::deque<std::vector<std::byte>> behind;
  };
  struct slot_pair {
    std::uint32_t buffer;
  };

  [[nodiscard]] const slot_pair& way_to(int destination) {
    if (static_cast<unsigned>(destination) >= ways_.size()) [[unlikely]]
      refuse(destination);
    return ways_[static_cast<std::size_t>(destination)];
  }
  [[noreturn]] void refuse(int destination) const;
  void plan_ways();
  void add(std::uint32_t index, int destination, std::span<const std::byte> record);
  void open(buffer& into);
  void send_buffer(buffer& from, std::uint64_t& cause);
  void send_alone(buffer& way, int destination, std::span<const std::byte> record);
  void send_in_order(buffer& from, std::span<const std::byte> bytes);
  void send_message(int hop, bool routed, std::span<const std::byte> bytes);
  [[nodiscard]] bool try_send(buffer& from, std::uint64_t& cause);
  void send_all(std::uint64_t& cause);
  [[nodiscard]] std::size_t header_bytes(bool routed) const noexcept {
    return (routed ? 4U : 0U) + (record_bytes_ == 0 ? 4U : 0U);
  }
  void deliver_all(std::span<const std::byte> payload);
  void route_all(std::span<const std::byte> payload);

  team among_;
  job& here_;
  const std::uint64_t number_;
  const std::size_t record_bytes_;
  const stream_options with_;
  const model::grid grid_;
  std::size_t capacity_ = 0;
  std::size_t threshold_ = 0;
  std::size_t cutoff_ = 0;
  std::vector<slot_pair> ways_;  ///< by destination
  std::vector<buffer> buffers_;
  std::vector<std::vector<std::byte>> spare_;
  stream_statistics seen_;
  waves end_;
  std::uint64_t activity_ = 0;  ///< pushes and deliveries, when progress looked last
  std::size_t memory_ = 0;
  bool closed_ = false;
};

}  // namespace upwash::streaming
