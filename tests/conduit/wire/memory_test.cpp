// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of peers over packets: private spans, which are read by asking, and segments that the
// engine reaches by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tests/conduit/wire/wire_job.hpp"
#include "upwash/base/error.hpp"

namespace upwash::conduit {
namespace {

using test::counted;
using test::pattern;
using test::wire_job;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// Reads, polling until it is there.
std::vector<std::byte> read(wire_job& job, int rank, const remote_memory& from, std::size_t offset,
                            std::size_t bytes) {
  std::vector<std::byte> into(bytes);
  counted told;
  injection begun = injection::retry(retry_reason::none);
  while (begun.what == outcome::retry) {
    begun = job.at(rank).get(rank, from, offset, into, &told);
    job.poll_all();
  }
  for (int i = 0; begun.what == outcome::pending && told.times == 0; ++i) {
    if (i > 100'000) {
      ADD_FAILURE() << "a read is never told";
      break;
    }
    job.poll_all();
  }
  EXPECT_EQ(told.times, begun.what == outcome::pending ? 1 : 0);
  return into;
}

TEST(wire_memory, private_spans_of_all_sizes_are_read) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    wire_job job(3, seed, 2);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kib - 1, 70 * kib, mib}) {
      const auto data = pattern(bytes);
      const memory_key key = job.at(2).register_span(2, data);
      for (const int reader : {5, 0, 3, 2}) {  // elsewhere, and in the process
        const remote_memory seen = job.at(reader).import(reader, 2, key);
        EXPECT_EQ(seen.size, bytes);
        EXPECT_EQ(read(job, reader, seen, 0, bytes), data) << "seed " << seed;
        const std::size_t half = bytes / 2;
        EXPECT_EQ(read(job, reader, seen, half, bytes - half),
                  std::vector(data.begin() + static_cast<std::ptrdiff_t>(half), data.end()));
        job.at(reader).forget(reader, seen);
      }
      job.at(2).deregister(2, key);
    }
  }
}

TEST(wire_memory, many_reads_at_once_each_get_their_own) {
  constexpr std::size_t reads = 300;
  constexpr std::size_t bytes = 3000;
  wire_job job(2, 3);
  const auto data = pattern(reads + bytes);
  const memory_key key = job.at(1).register_span(1, data);
  const remote_memory seen = job.at(0).import(0, 1, key);
  std::vector<std::vector<std::byte>> into(reads, std::vector<std::byte>(bytes));
  std::vector<counted> told(reads);
  int expected = 0;
  for (std::size_t i = 0; i < reads; ++i) {
    injection begun = injection::retry(retry_reason::none);
    while (begun.what == outcome::retry) {
      begun = job.at(0).get(0, seen, i, into[i], &told[i]);
      if (begun.what == outcome::retry) job.poll_all();
    }
    expected += begun.what == outcome::pending ? 1 : 0;
  }
  job.settle();
  int times = 0;
  for (std::size_t i = 0; i < reads; ++i) {
    times += told[i].times;
    EXPECT_TRUE(
        std::equal(into[i].begin(), into[i].end(), data.begin() + static_cast<std::ptrdiff_t>(i)))
        << i;
  }
  EXPECT_EQ(times, expected);
}

using wire_memory_death = testing::Test;

TEST(wire_memory_death, a_span_that_is_gone_ends_the_job_with_a_line) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  wire_job job(2, 5);
  const auto data = pattern(100);
  const memory_key key = job.at(1).register_span(1, data);
  const remote_memory seen = job.at(0).import(0, 1, key);
  job.at(1).deregister(1, key);
  std::vector<std::byte> into(100);
  counted told;
  EXPECT_DEATH(
      {
        static_cast<void>(job.at(0).get(0, seen, 0, into, &told));
        job.settle();
      },
      "process 0 reads 100 bytes at offset 0 of private memory that is not registered any more");
}

TEST(wire_memory_death, a_read_beyond_a_span_ends_the_job_with_a_line) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  wire_job job(2, 5);
  const auto data = pattern(100);
  const remote_memory seen = job.at(0).import(0, 1, job.at(1).register_span(1, data));
  std::vector<std::byte> into(100);
  counted told;
  EXPECT_DEATH(
      {
        static_cast<void>(job.at(0).get(0, seen, 8, into, &told));
        job.settle();
      },
      "100 bytes at offset 8 of private memory that is 100 bytes long");
}

TEST(wire_memory, segments_are_zeroed_and_aligned) {
  for (const bool engine : {false, true}) {
    wire_job job(2, 7, 1, engine);
    EXPECT_EQ(job.at(0).describe().of(nearness::remote).remote_write, engine);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 5 * kib, 3 * mib}) {
      const memory_block block = job.at(0).allocate(0, bytes);
      EXPECT_EQ(block.size, bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.base) % (bytes >= 4 * kib ? 4096 : 64), 0U);
      EXPECT_EQ(std::count(block.base, block.base + bytes, std::byte{0}),
                static_cast<std::ptrdiff_t>(bytes));
      job.at(0).release(0, block);
    }
  }
}

TEST(wire_memory, what_the_machine_has_not_is_refused_before_the_engine_is_asked) {
  for (const bool engine : {false, true}) {
    wire_job job(2, 7, 1, engine);
    try {
      static_cast<void>(job.at(0).allocate(0, std::size_t{1} << 46U));
      ADD_FAILURE() << "64 TiB were allocated";
    } catch (const error& refusal) {
      EXPECT_EQ(refusal.kind(), error_kind::system);
      EXPECT_TRUE(std::string_view(refusal.what()).ends_with(" are available")) << refusal.what();
    }
  }
}

TEST(wire_memory, what_is_flushed_is_there) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    wire_job job(2, seed, 1, true);
    const memory_block block = job.at(1).allocate(1, 64 * kib);
    const remote_memory seen = job.at(0).import(0, 1, block.key);
    EXPECT_EQ(seen.direct, nullptr);
    std::vector<std::byte> data = pattern(64 * kib, seed);
    constexpr std::size_t piece = 4 * kib;
    for (std::size_t at = 0; at < data.size(); at += piece) {
      const auto part = std::span(data).subspan(at, piece);
      EXPECT_NE(job.at(0).put(0, seen, at, part, {}, nullptr).what, outcome::retry);
    }
    counted flushed;
    const injection flush = job.at(0).flush(0, 1, &flushed);
    for (int i = 0; flush.what == outcome::pending && flushed.times == 0; ++i) {
      ASSERT_LT(i, 1000) << "a flush is never told";
      job.poll(0);
    }
    EXPECT_TRUE(std::equal(data.begin(), data.end(), block.base)) << "seed " << seed;
    EXPECT_EQ(read(job, 0, seen, 100, 5000), std::vector(data.begin() + 100, data.begin() + 5100));
    job.settle();
    job.at(0).forget(0, seen);
    job.at(1).release(1, block);
  }
}

TEST(wire_memory, atomics_of_all_processes_are_of_one_agent) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    wire_job job(3, seed, 2, true);
    const memory_block block = job.at(2).allocate(2, 64);
    const atomic_operation one{.kind = atomic_kind::fetch_add, .width = 8, .operand = 1};
    std::vector<std::uint64_t> old(600);
    for (std::size_t i = 0; i < old.size(); ++i) {
      const int rank = static_cast<int>(i % 6);  // ranks 2 and 3 are in the process of the word
      const remote_memory seen = job.at(rank).import(rank, 2, block.key);
      EXPECT_NE(job.at(rank).atomic(rank, seen, 8, one, &old[i], {}).what, outcome::retry);
    }
    job.settle();
    std::uint64_t value = 0;
    std::memcpy(&value, block.base + 8, sizeof value);
    EXPECT_EQ(value, old.size());
    std::sort(old.begin(), old.end());
    for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(old[i], i) << "seed " << seed;
    job.at(2).release(2, block);
  }
}

}  // namespace
}  // namespace upwash::conduit
