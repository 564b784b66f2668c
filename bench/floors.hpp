// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The floors: what the bare machine does between the same two cores, with nothing of the library
// but the memory. Each takes iterations and returns the value in the unit named.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/bench.hpp"

namespace upwash::bench {

/// One-way time of a cache line between ranks 0 and 1, two lines. ns.
double line_ping_pong_ns(context& c, long iterations);

/// A bare ring of 64-byte messages from rank 0 to rank 1, sequence number in the line. M/s.
class bare_ring {
 public:
  explicit bare_ring(context& c);
  double rate(long messages);

 private:
  static constexpr std::size_t slots = 64;
  struct alignas(64) slot {
    std::uint64_t payload[7];
    std::uint64_t sequence;
  };
  struct memory {
    slot lines[slots];
    alignas(64) std::uint64_t taken;
  };
  context& c_;
  region area_;
  memory* at_;
  std::uint64_t sequence_ = 0;
};

/// Whole messages between private buffers of ranks 0 and 1 through a bare ring of 8 chunks of
/// 32 KiB, two copies. GB/s.
class bare_pipeline {
 public:
  bare_pipeline(context& c, std::byte* buffer, std::size_t bytes);
  double bandwidth(long messages);

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{32} * 1024;
  static constexpr std::size_t chunks = 8;
  struct memory {
    alignas(64) std::uint64_t filled;
    alignas(64) std::uint64_t taken;
    alignas(64) std::byte data[chunks][chunk_bytes];
  };
  context& c_;
  std::byte* buffer_;
  std::size_t bytes_;
  region area_;
  memory* at_;
  std::uint64_t count_ = 0;
};

/// A central counter with a release word over all ranks; yields where cores are shared. us.
class bare_barrier {
 public:
  explicit bare_barrier(context& c);
  double latency_us(long iterations);

 private:
  struct memory {
    alignas(64) std::uint64_t arrived;
    alignas(64) std::uint64_t released;
  };
  context& c_;
  region area_;
  memory* at_;
  std::uint64_t epoch_ = 0;
};

/// Dissemination over cache lines, by hand: in round k a line with its tag, and up to 48 bytes,
/// goes to the rank 2^k further. A barrier over all ranks; with two ranks also their exchange. us.
class bare_dissemination {
 public:
  explicit bare_dissemination(context& c);
  double latency_us(long iterations, std::size_t bytes);

 private:
  static constexpr int rounds = 10;
  struct alignas(64) line {
    std::uint64_t tag;
    std::byte payload[56];
  };
  struct memory {
    line lines[2][rounds];  ///< a rank is one barrier ahead of another at most
  };
  context& c_;
  region area_;
  std::vector<memory*> parts_;  ///< whom this rank tells, by round
  memory* mine_;
  std::uint64_t epoch_ = 0;
};

/// Every rank writes words one after the other into chunks of the next rank's memory, and adds up
/// the first one of each item that comes from the rank before: what a stream could reach. Million
/// items a second, of all ranks together.
class bare_exchange {
 public:
  explicit bare_exchange(context& c);
  double rate(long items, std::size_t bytes);

 private:
  static constexpr std::size_t chunk_words = 2048;
  static constexpr std::size_t chunks = 8;
  struct memory {
    alignas(64) std::uint64_t filled;
    alignas(64) std::uint64_t taken;
    alignas(64) std::uint64_t words[chunks][chunk_words];
  };
  void fill();
  void drain(std::size_t stride);

  context& c_;
  region area_;
  memory* next_;
  memory* mine_;
  std::uint64_t written_ = 0;  ///< chunks, since the start
  std::uint64_t read_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace upwash::bench
