// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Benches of active messages: one-way latency, one-way rate, and paper 000's multi-ping.
#include <array>
#include <vector>

#include "bench/bench.hpp"
#include "bench/floors.hpp"
#include "upwash/core/host.hpp"

namespace upwash::bench {
namespace {

/// What arrived at this rank.
struct tally final : service_base {
  explicit tally(job& /*here*/) {}
  std::uint64_t arrived = 0;
  std::uint64_t answered = 0;
};

/// The address of the tally rides along: a look-up of the service would be measured otherwise.
struct tally_address {
  tally* at;
};

void count(incoming& /*in*/, tally_address where) { ++where.at->arrived; }
void answer(incoming& /*in*/, tally_address where) { ++where.at->answered; }

void wait_until_at_least(job& here, const std::uint64_t& counter, std::uint64_t value) {
  host(here).wait(conduit::wait_target::word(counter, conduit::comparison::greater_equal, value),
                  {.operation = "bench"});
}

/// Every rank's tally, so that senders can name it.
std::vector<tally_address> all_tallies(context& c) {
  std::vector<tally_address> all(static_cast<std::size_t>(c.size()));
  control::all_gather_values(c.here().world(), tally_address{&c.here().service<tally>()},
                             std::span(all));
  return all;
}

void send_counted(job& here, int to, tally_address where, std::span<const std::byte> payload) {
  if (payload.empty()) {
    send<&count>(here, to, where);
  } else {
    send_medium<&count>(here, to, payload, where);
  }
}

constexpr std::array<std::uint64_t, 6> message_sizes{0, 8, 64, 512, 2048, 8192};

}  // namespace

void am_latency(context& c) {
  const auto tallies = all_tallies(c);
  tally& mine = *tallies[static_cast<std::size_t>(c.rank())].at;
  std::uint64_t seen = 0;  // kept from call to call: the peer's next message may come early
  for (const std::uint64_t bytes : c.sizes(message_sizes)) {
    const std::vector<std::byte> payload(bytes);
    const auto ping_pong = [&](long iterations) {
      if (c.rank() > 1) return 0.0;
      const tally_address peer = tallies[static_cast<std::size_t>(1 - c.rank())];
      const duration start = c.here().now();
      for (long i = 0; i < iterations; ++i) {
        if (c.rank() == 0) send_counted(c.here(), 1, peer, payload);
        wait_until_at_least(c.here(), mine.arrived, ++seen);
        if (c.rank() == 1) send_counted(c.here(), 0, peer, payload);
      }
      return (c.here().now() - start).ns() / (2.0 * static_cast<double>(iterations));
    };
    c.compare({.label = "", .bytes = bytes, .unit = "ns"}, ping_pong,
              [&c](long iterations) { return line_ping_pong_ns(c, iterations); });
  }
}

void am_rate(context& c) {
  const auto tallies = all_tallies(c);
  tally& mine = *tallies[static_cast<std::size_t>(c.rank())].at;
  bare_ring ring(c);
  const int half = c.size() / 2;
  std::uint64_t expected_in = 0;
  for (const std::uint64_t bytes : c.sizes(std::array<std::uint64_t, 3>{0, 8, 512})) {
    const std::vector<std::byte> payload(bytes);
    // Rank r of the first half sends to r + half, which answers once all have come.
    const auto stream = [&](long iterations) {
      const duration start = c.here().now();
      if (c.rank() < half) {
        const int to = c.rank() + half;
        const std::uint64_t expected = mine.answered + 1;
        for (long i = 0; i < iterations; ++i) {
          send_counted(c.here(), to, tallies[static_cast<std::size_t>(to)], payload);
        }
        wait_until_at_least(c.here(), mine.answered, expected);
      } else if (c.rank() < 2 * half) {
        const int from = c.rank() - half;
        expected_in += static_cast<std::uint64_t>(iterations);
        wait_until_at_least(c.here(), mine.arrived, expected_in);
        send<&answer>(c.here(), from, tallies[static_cast<std::size_t>(from)]);
      }
      control::barrier(c.here().world());
      return static_cast<double>(iterations) * half / (c.here().now() - start).us();
    };
    c.compare({.label = "", .bytes = bytes, .unit = "M/s", .more_is_better = true}, stream,
              [&ring](long iterations) { return ring.rate(iterations); });
  }
}

void multi_ping(context& c) {
  // Paper 000, section 2.2: bursts of 128 messages and one reply, one way and both ways at once;
  // the time for one message and the processor time in it. The first half of the ranks faces the
  // second: with two nodes' ranks the pairs are on different nodes.
  constexpr std::uint64_t burst = 128;
  const auto tallies = all_tallies(c);
  tally& mine = *tallies[static_cast<std::size_t>(c.rank())].at;
  const int half = c.size() / 2;
  const int peer = c.rank() < half ? c.rank() + half : c.rank() - half;
  const bool plays = c.rank() < 2 * half && c.rank() % half < c.chosen().pairs;
  constexpr std::array<std::uint64_t, 8> sizes{16, 64, 256, 1024, 4096, 16384, 65536, 262144};
  std::uint64_t all_in = 0;
  std::uint64_t all_out = 0;
  for (const bool both : {false, true}) {
    for (const std::uint64_t bytes : c.sizes(sizes)) {
      const std::vector<std::byte> payload(bytes);
      const auto bursts = [&](long iterations) {
        const bool sends = plays && (both || c.rank() < half);
        const bool receives = plays && (both || c.rank() >= half);
        const tally_address there =
            plays ? tallies[static_cast<std::size_t>(peer)] : tally_address{};
        const double idle_before = c.idle_seconds();
        const duration start = c.here().now();
        for (long i = 0; i < iterations; ++i) {
          if (receives) all_in += burst;
          if (sends) ++all_out;
          for (std::uint64_t m = 0; sends && m < burst; ++m) {
            send_counted(c.here(), peer, there, payload);
          }
          if (receives) {
            wait_until_at_least(c.here(), mine.arrived, all_in);
            send<&answer>(c.here(), peer, there);
          }
          if (sends) wait_until_at_least(c.here(), mine.answered, all_out);
        }
        const double seconds = (c.here().now() - start).seconds();
        const double messages = static_cast<double>(iterations) * static_cast<double>(burst);
        if (c.simulated()) c.set_cpu((seconds - (c.idle_seconds() - idle_before)) * 1e6 / messages);
        control::barrier(c.here().world());
        return seconds * 1e6 / messages;
      };
      c.measure({.label = both ? "two-way" : "one-way", .bytes = bytes, .unit = "us"}, bursts);
    }
  }
}

}  // namespace upwash::bench
