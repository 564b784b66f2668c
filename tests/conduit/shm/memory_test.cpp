// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the shared-memory conduit: segments, puts, atomics, long messages.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "tests/conduit/shm/filled.hpp"
#include "tests/conduit/shm/threads_job.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/conduit/shm/detail/memfd.hpp"

namespace upwash::conduit {
namespace {

using testing::filled;
using testing::kib;
using testing::mib;
using testing::threads_job;

TEST(shm_memory, segment_is_zeroed_aligned_and_seen_by_peers) {
  threads_job job(2);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, 5 * kib, 300 * kib, 5 * mib}) {
    const memory_block block = job.at(0).allocate(0, bytes);
    ASSERT_EQ(block.size, bytes);
    const std::size_t alignment = bytes >= 2 * mib ? 2 * mib : bytes >= 4 * kib ? 4 * kib : 64;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.base) % alignment, 0U) << bytes;
    EXPECT_EQ(std::count(block.base, block.base + bytes, std::byte{0}),
              static_cast<std::ptrdiff_t>(bytes));
    const remote_memory seen = job.at(1).import(1, 0, block.key);
    ASSERT_NE(seen.direct, nullptr);
    EXPECT_EQ(seen.size, bytes);
    EXPECT_EQ(seen.owner, 0);
    const auto data = filled(bytes, 1);
    EXPECT_EQ(job.at(1).put(1, seen, 0, data, {}, nullptr).what, outcome::done);
    EXPECT_TRUE(std::equal(data.begin(), data.end(), block.base));
    std::vector<std::byte> back(bytes);
    EXPECT_EQ(job.at(1).get(1, seen, 0, back, nullptr).what, outcome::done);
    EXPECT_EQ(back, data);
    job.at(1).forget(1, seen);
    job.at(0).release(0, block);
  }
}

TEST(shm_memory, small_segments_do_not_overlap_and_are_zeroed_again) {
  threads_job job(1);
  for (int lap = 0; lap < 3; ++lap) {
    std::vector<memory_block> blocks;
    for (std::size_t i = 1; i < 400; ++i) {
      blocks.push_back(job.at(0).allocate(0, i * 7));
      for (std::size_t b = 0; b < i * 7; ++b) ASSERT_EQ(blocks.back().base[b], std::byte{0});
      std::memset(blocks.back().base, static_cast<int>(i % 251 + 1), i * 7);
    }
    for (std::size_t i = 1; i < 400; ++i) {
      const memory_block& one = blocks[i - 1];
      for (std::size_t b = 0; b < one.size; ++b) {
        ASSERT_EQ(one.base[b], static_cast<std::byte>(i % 251 + 1));
      }
      job.at(0).release(0, one);
    }
  }
}

TEST(shm_memory, impossible_size_is_an_error_with_the_figures) {
  threads_job job(1);
  try {
    static_cast<void>(job.at(0).allocate(0, std::size_t{1} << 46U));
    FAIL() << "64 TiB were allocated";
  } catch (const error& refused) {
    EXPECT_EQ(refused.kind(), error_kind::system);
    EXPECT_NE(std::string(refused.what()).find("70368744177664 bytes wanted"), std::string::npos)
        << refused.what();
  }
}

/// Runs in a process of its own, whose limits are its own. Ends with 0 when all was as expected.
[[noreturn]] void run_out_of_descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 40;
  limit.rlim_max = 100;
  setrlimit(RLIMIT_NOFILE, &limit);
  std::vector<shm_detail::shared_memory> held;
  try {
    for (std::uint32_t i = 0; i < 200; ++i) {
      held.push_back(shm_detail::shared_memory::make(4096, i, "a segment", "a knob"));
    }
  } catch (const error& refused) {
    const std::string text = refused.what();
    const bool named = text.find("no descriptor for a segment") != std::string::npos;
    _exit(named && held.size() > 60 ? 0 : 1);
  }
  _exit(2);
}

TEST(shm_memory, takes_descriptors_up_to_the_hard_limit_and_names_it) {
  if (test::sanitized) GTEST_SKIP() << "the sanitizer takes a descriptor to look at memory";
  EXPECT_EXIT(run_out_of_descriptors(), ::testing::ExitedWithCode(0), "");
}

TEST(shm_memory, import_of_released_memory_is_an_error_not_other_memory) {
  threads_job job(2);
  const memory_block block = job.at(0).allocate(0, 3 * mib);
  job.at(0).release(0, block);
  EXPECT_THROW(static_cast<void>(job.at(1).import(1, 0, block.key)), error);
  const memory_block other = job.at(0).allocate(0, 3 * mib);  // may take the same descriptor
  EXPECT_THROW(static_cast<void>(job.at(1).import(1, 0, block.key)), error);
  EXPECT_THROW(static_cast<void>(job.at(1).import(1, 0, memory_key{})), error);
  job.at(0).release(0, other);
}

TEST(shm_memory, put_carries_a_signal_and_atomics_return_the_old_value) {
  threads_job job(2);
  const memory_block block = job.at(0).allocate(0, 4 * kib);
  const remote_memory seen = job.at(1).import(1, 0, block.key);
  const auto data = filled(100, 1);
  const put_signal signal{&seen, 1024, 5};
  EXPECT_EQ(job.at(1).put(1, seen, 64, data, {}, &signal).what, outcome::done);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(block.base + 1024), 5U);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), block.base + 64));
  std::uint64_t old = 0;
  const atomic_operation add{atomic_kind::fetch_add, 8, 10, 0};
  EXPECT_EQ(job.at(1).atomic(1, seen, 1024, add, &old, {}).what, outcome::done);
  EXPECT_EQ(old, 5U);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(block.base + 1024), 15U);
  EXPECT_EQ(job.at(1).flush(1, -1, nullptr).what, outcome::done);
}

TEST(shm_memory, long_message_comes_after_its_data_or_not_at_all) {
  threads_job job(2);
  struct : sink {
    void deliver(const message& m) override { got += m.arguments.size(); }
    std::size_t got = 0;
  } in;
  job.at(0).attach(0, &in);
  const memory_block block = job.at(0).allocate(0, 4 * kib);
  const remote_memory seen = job.at(1).import(1, 0, block.key);
  const auto data = filled(4 * kib, 1);
  message m;
  m.source = 1;
  m.destination = 0;
  m.arguments = std::span(data).first(8);
  EXPECT_EQ(job.at(1).send_long(m, seen, 0, data, nullptr, false).what, outcome::done);
  job.at(0).poll(0);
  EXPECT_EQ(in.got, 8U);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), block.base));
  while (job.at(1).send(m, false).what == outcome::done) {
  }
  std::memset(block.base, 0, 64);
  EXPECT_EQ(job.at(1).send_long(m, seen, 0, data, nullptr, false).what, outcome::retry);
  EXPECT_EQ(block.base[1], std::byte{0});
}

}  // namespace
}  // namespace upwash::conduit
