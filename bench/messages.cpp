// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash bench messages`: two-sided messages between two ranks, with none and with many receives
// posted ahead, or messages waiting, that do not fit. Floor: the same with none.
#include "upwash/matching/messages.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bench/bench.hpp"

namespace upwash::bench {
namespace {

constexpr int ping_tag = 1 << 30;

/// A ping-pong of `bytes` between ranks 0 and 1: us there and back.
auto ping_pong(context& c, std::size_t bytes) {
  return [&c, bytes](long iterations) {
    std::vector<std::byte> data(bytes);
    const team world = c.here().world();
    control::barrier(world);  // both have posted what they post
    const duration start = c.here().now();
    for (long i = 0; i < iterations && c.rank() < 2; ++i) {
      const int peer = 1 - c.rank();
      if (c.rank() == 0) matching::send(world, peer, ping_tag, data).wait();
      matching::receive(world, peer, ping_tag, data).wait();
      if (c.rank() == 1) matching::send(world, peer, ping_tag, data).wait();
    }
    return (c.here().now() - start).seconds() * 1e6 / static_cast<double>(iterations);
  };
}

/// Messages from rank 0 to rank 1, one after the other: ns each.
auto stream(context& c, std::size_t bytes) {
  return [&c, bytes](long iterations) {
    std::vector<std::byte> data(bytes);
    const team world = c.here().world();
    const duration start = c.here().now();
    for (long i = 0; i < iterations; ++i) {
      if (c.rank() == 0) matching::send(world, 1, ping_tag, data).wait();
      if (c.rank() == 1) matching::receive(world, 0, ping_tag, data).wait();
    }
    // The last one is answered, so that what is under way counts.
    if (c.rank() == 0) matching::receive(world, 1, ping_tag, data).wait();
    if (c.rank() == 1) matching::send(world, 0, ping_tag, data).wait();
    return (c.here().now() - start).seconds() * 1e9 / static_cast<double>(iterations);
  };
}

/// Receives that no message comes for; taken back in the end.
class posted_ahead {
 public:
  posted_ahead(context& c, int count, int source) {
    for (int tag = 0; tag < count && c.rank() < 2; ++tag) {
      held_.push_back(matching::receive(c.here().world(), source < 0 ? source : 1 - c.rank(), tag,
                                        std::span(room_)));
    }
  }
  posted_ahead(const posted_ahead&) = delete;
  posted_ahead& operator=(const posted_ahead&) = delete;
  ~posted_ahead() {
    for (auto& each : held_) each.cancel();
  }

 private:
  std::array<std::byte, 8> room_{};
  std::vector<matching::receiving> held_;
};

/// Messages that wait at both ranks for no receive; received in the end.
class waiting_messages {
 public:
  waiting_messages(context& c, int count) : c_(c), count_(c.rank() < 2 ? count : 0) {
    for (int tag = 0; tag < count_; ++tag) {
      sent_.push_back(matching::send(c.here().world(), 1 - c.rank(), tag, std::span(data_)));
    }
  }
  waiting_messages(const waiting_messages&) = delete;
  waiting_messages& operator=(const waiting_messages&) = delete;
  ~waiting_messages() {
    std::array<std::byte, 8> into{};
    for (int tag = 0; tag < count_; ++tag) {
      auto coming = matching::receive(c_.here().world(), 1 - c_.rank(), tag, std::span(into));
    }
  }

 private:
  context& c_;
  int count_;
  std::array<std::byte, 8> data_{};
  std::vector<request> sent_;
};

}  // namespace

void messages(context& c) {
  constexpr std::uint64_t sizes[] = {0, 8, 1024, 65'536, 1'048'576};
  for (const std::uint64_t bytes : c.sizes(sizes)) {
    c.measure({"round-trip", bytes, "us", false}, ping_pong(c, bytes));
    c.measure({"stream", bytes, "ns", false}, stream(c, bytes));
  }
  for (const int count : {1, 64, 1024, 16'384}) {
    for (const int source : {0, matching::any_source}) {
      // Receives are posted inside the measurement's calls, so that the floor runs without them.
      const auto with = [&](long iterations) {
        const posted_ahead many(c, count, source);
        // Posting takes longer than what is measured: enough rounds that it is out of the caches.
        (void)ping_pong(c, 8)(100);
        return ping_pong(c, 8)(std::max(iterations, 1000L));
      };
      c.compare({(source == 0 ? "posted-" : "posted-any-") + std::to_string(count), 8, "us", false},
                with, ping_pong(c, 8));
    }
  }
  for (const int count : {64, 1024, 16'384}) {
    const auto with = [&](long iterations) {
      const waiting_messages many(c, count);
      (void)ping_pong(c, 8)(100);  // as above
      return ping_pong(c, 8)(std::max(iterations, 1000L));
    };
    c.compare({"unexpected-" + std::to_string(count), 8, "us", false}, with, ping_pong(c, 8));
  }
}

}  // namespace upwash::bench
