// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank and its progress thread on one endpoint, over a pretended network: what comes when the
// rank computes, on which thread, in which order. Also run under the thread sanitizer.
#include "upwash/conduit/wire/detail/threaded_endpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/conduit/wire/pretended_bootstrap.hpp"
#include "tests/conduit/wire/pretended_network.hpp"

namespace upwash::conduit::wire {
namespace {

using test::network_options;
using test::pretended_bootstrap;
using test::pretended_network;

/// One thread at a time in the whole network, whose processes are threads here.
class one_at_a_time final : public transport {
 public:
  one_at_a_time(std::unique_ptr<transport> over, std::recursive_mutex& lock)
      : over_(std::move(over)), lock_(lock) {}
  [[nodiscard]] std::size_t packet_bytes() const noexcept override { return over_->packet_bytes(); }
  outcome send(int process, std::span<const std::byte> packet, completion& sent) noexcept override {
    const std::lock_guard held(lock_);
    return over_->send(process, packet, sent);
  }
  outcome send_bulk(int process, std::uint32_t tag, std::span<const std::byte> from,
                    completion& sent) noexcept override {
    const std::lock_guard held(lock_);
    return over_->send_bulk(process, tag, from, sent);
  }
  outcome receive_bulk(int process, std::uint32_t tag, std::span<std::byte> to,
                       completion& came) noexcept override {
    const std::lock_guard held(lock_);
    return over_->receive_bulk(process, tag, to, came);
  }
  int poll(transport_user& user, int most) noexcept override {
    const std::lock_guard held(lock_);
    return over_->poll(user, most);
  }
  void close(transport_user& /*user*/, std::span<const std::uint64_t> /*to*/) noexcept override {}

 private:
  std::unique_ptr<transport> over_;
  std::recursive_mutex& lock_;
};

/// Notes each message, and the thread that delivers it.
struct notes final : sink {
  struct entry {
    std::uint64_t number = 0;
    std::thread::id by;
  };
  void deliver(const message& m) override {
    entry one{0, std::this_thread::get_id()};
    std::memcpy(&one.number, m.arguments.data(), sizeof one.number);
    {
      const std::lock_guard held(lock);
      lanes[static_cast<std::size_t>(m.kind)].push_back(one);
    }
    ++count;
  }
  std::vector<entry> of(lane kind) {
    const std::lock_guard held(lock);
    return lanes[static_cast<std::size_t>(kind)];
  }
  std::mutex lock;
  std::array<std::vector<entry>, lane_count> lanes;
  std::atomic<int> count = 0;
};

struct flagged final : completion {
  flagged() {
    tell = [](completion& self) noexcept { static_cast<flagged&>(self).over = true; };
  }
  std::atomic<bool> over = false;
};

/// Process 0 is driven by the test; process 1 has a progress thread, and a rank that the test
/// drives.
class threaded_job {
 public:
  explicit threaded_job(std::uint64_t seed)
      : network_(network_options{.processes = 2, .seed = seed}, nullptr),
        zero(std::make_unique<wire_endpoint>(
            std::make_unique<one_at_a_time>(network_.transport_of(0), lock_), boots_[0],
            options())),
        one(std::make_unique<wire_endpoint>(
                std::make_unique<one_at_a_time>(network_.transport_of(1), lock_), boots_[1],
                options()),
            false) {
    zero->attach(0, &at_zero);
    one.attach(1, &at_one);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (one.poll_memory(true) == 0) std::this_thread::yield();
      }
    });
  }

  static message numbered(int from, const std::uint64_t& number, lane kind) {
    message m;
    m.handler = {17, 1};
    m.kind = kind;
    m.source = from;
    m.destination = 1 - from;
    m.arguments = std::as_bytes(std::span(&number, 1));
    return m;
  }
  [[nodiscard]] std::thread::id thread() const { return thread_.get_id(); }
  void stop() { thread_ = {}; }

 private:
  static wire_options options() {
    return {.name = "pretended", .nodes = {0, 1}, .waits = {patience::policy::yield, duration()}};
  }
  std::recursive_mutex lock_;
  pretended_network network_;
  const rank_layout layout_ = rank_layout::even(2, 2);
  std::array<pretended_bootstrap, 2> boots_{pretended_bootstrap(layout_, 0),
                                            pretended_bootstrap(layout_, 1)};

 public:
  notes at_zero;
  notes at_one;
  std::unique_ptr<wire_endpoint> zero;
  threaded_endpoint one;

 private:
  std::jthread thread_;
};

constexpr std::uint64_t many = 500;

TEST(threaded_endpoint, serves_the_memory_lane_alone_while_the_rank_computes) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    threaded_job job(seed);
    std::array<std::uint64_t, lane_count> sent{};
    // The rank never polls: of requests a window's worth at least can be sent, of memory's all.
    while (job.at_one.of(lane::memory).size() < many) {
      for (const lane kind : {lane::request, lane::memory}) {
        auto& next = sent[static_cast<std::size_t>(kind)];
        if (next == many) continue;
        if (job.zero->send(threaded_job::numbered(0, next, kind), false).what == outcome::done) {
          ++next;
        }
      }
      job.zero->poll(0);
      std::this_thread::yield();
    }
    EXPECT_TRUE(job.at_one.of(lane::request).empty()) << "requests are the rank's own";
    while (job.at_one.of(lane::request).size() < sent[0]) {
      job.one.poll(1);
      job.zero->poll(0);
    }
    for (const lane kind : {lane::request, lane::memory}) {
      const auto got = job.at_one.of(kind);
      for (std::uint64_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].number, i) << "order of a lane, seed " << seed;
        ASSERT_EQ(got[i].by == job.thread(), kind == lane::memory);
      }
    }
    job.stop();
  }
}

TEST(threaded_endpoint, keeps_order_where_both_threads_poll_and_send) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    threaded_job job(seed);
    std::jthread peer([&job] {
      std::array<std::uint64_t, lane_count> sent{};
      while (job.at_one.count < static_cast<int>(3 * many) ||
             job.at_zero.count < static_cast<int>(many)) {
        for (std::size_t i = 0; i < lane_count; ++i) {
          if (sent[i] == many) continue;
          const message m = threaded_job::numbered(0, sent[i], static_cast<lane>(i));
          if (job.zero->send(m, false).what == outcome::done) ++sent[i];
        }
        job.zero->poll(0);
      }
    });
    std::uint64_t sent = 0;
    while (job.at_one.count < static_cast<int>(3 * many) ||
           job.at_zero.count < static_cast<int>(many)) {
      job.one.poll(1);
      if (sent == many) continue;
      const message m = threaded_job::numbered(1, sent, lane::request);
      if (job.one.send(m, false).what == outcome::done) ++sent;
    }
    peer.join();
    for (std::size_t i = 0; i < lane_count; ++i) {
      const auto got = job.at_one.of(static_cast<lane>(i));
      ASSERT_EQ(got.size(), many);
      for (std::uint64_t n = 0; n < many; ++n) ASSERT_EQ(got[n].number, n) << "seed " << seed;
    }
    job.stop();
  }
}

TEST(threaded_endpoint, reads_private_memory_beside_the_thread) {
  threaded_job job(4);
  const std::vector<std::byte> source(100'000, std::byte{7});
  std::vector<std::byte> into(source.size());
  const memory_key key = job.zero->register_span(0, source);
  const remote_memory from = job.one.import(1, 0, key);
  for (int turn = 0; turn < 20; ++turn) {
    flagged done;
    std::fill(into.begin(), into.end(), std::byte{0});
    injection result = job.one.get(1, from, 0, into, &done);
    while (result.what == outcome::retry) {
      job.one.poll(1);
      job.zero->poll(0);
      result = job.one.get(1, from, 0, into, &done);
    }
    // The rank does not poll: the thread takes it to its end, and tells.
    while (result.what == outcome::pending && !done.over) job.zero->poll(0);
    ASSERT_EQ(into, source);
  }
  job.stop();
}

}  // namespace
}  // namespace upwash::conduit::wire
