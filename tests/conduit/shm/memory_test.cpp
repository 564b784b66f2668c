// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the shared-memory conduit: segments, puts, atomics, long messages, and reads of
// private memory by both mechanisms.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "tests/conduit/shm/threads_job.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/conduit/shm/detail/memfd.hpp"
#include "upwash/conduit/shm/detail/pages.hpp"

namespace upwash::conduit {
namespace {

using testing::threads_job;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

std::byte pattern(std::size_t i, int owner) {
  return static_cast<std::byte>(i * 13 + i / 251 + static_cast<std::size_t>(owner) * 71);
}

std::vector<std::byte> filled(std::size_t bytes, int owner) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(i, owner);
  return data;
}

struct told final : completion {
  told() {
    tell = [](completion& self) noexcept { ++static_cast<told&>(self).times; };
  }
  int times = 0;
};

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

/// Reads of many sizes and offsets, several in flight, from every other process.
void read_everything(threads_job& job, int processes) {
  std::vector<std::vector<std::byte>> sources;
  std::vector<memory_key> keys;
  for (int p = 0; p < processes; ++p) {
    sources.push_back(filled(2 * mib + 100, p));
    keys.push_back(job.at(p).register_span(p, sources.back()));
  }
  struct read {
    int owner;
    std::size_t offset;
    std::vector<std::byte> to;
    told ready;
    bool done = false;
  };
  std::vector<std::unique_ptr<read>> reads;
  std::vector<remote_memory> imports(static_cast<std::size_t>(processes));
  for (int p = 1; p < processes; ++p) {
    imports[static_cast<std::size_t>(p)] =
        job.at(0).import(0, p, keys[static_cast<std::size_t>(p)]);
    EXPECT_EQ(imports[static_cast<std::size_t>(p)].direct, nullptr);
  }
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, 4 * kib, 4 * kib + 1, 31 * kib, 64 * kib,
        256 * kib + 3, std::size_t{2} * mib}) {
    for (int p = 1; p < processes; ++p) {
      auto one = std::make_unique<read>();
      one->owner = p;
      one->offset = bytes % 97;
      one->to.resize(bytes);
      const auto result =
          job.at(0).get(0, imports[static_cast<std::size_t>(p)], one->offset, one->to, &one->ready);
      ASSERT_NE(result.what, outcome::retry);
      one->done = result.what == outcome::done;
      reads.push_back(std::move(one));
    }
  }
  const auto open = [&] {
    return std::any_of(reads.begin(), reads.end(),
                       [](const auto& one) { return !one->done && one->ready.times == 0; });
  };
  for (int turn = 0; open(); ++turn) {
    ASSERT_LT(turn, 100'000);
    for (int p = 0; p < processes; ++p) job.at(p).poll(p);
  }
  for (const auto& one : reads) {
    EXPECT_EQ(one->ready.times, one->done ? 0 : 1);
    for (std::size_t i = 0; i < one->to.size(); ++i) {
      ASSERT_EQ(one->to[i], pattern(one->offset + i, one->owner)) << one->to.size();
    }
  }
  for (int p = 0; p < processes; ++p) job.at(p).deregister(p, keys[static_cast<std::size_t>(p)]);
}

TEST(shm_private_reads, all_sizes_by_either_mechanism) {
  threads_job job(3);
  read_everything(job, 3);
}

TEST(shm_private_reads, all_sizes_by_two_copies) {
  threads_job job(3, 1, {{"shm_cma", "off"}});
  read_everything(job, 3);
}

TEST(shm_private_reads, all_sizes_through_the_smallest_pipeline) {
  threads_job job(2, 1, {{"shm_cma", "off"}, {"shm_pipeline", "32k"}, {"shm_ring_lines", "8"}});
  read_everything(job, 2);
}

TEST(shm_private_reads, go_on_while_the_owner_is_away) {
  threads_job job(2);
  constexpr std::size_t bytes = 4 * mib;
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  madvise(mapped, bytes, MADV_NOHUGEPAGE);
  const std::span ordinary(static_cast<std::byte*>(mapped), bytes);
  std::ranges::copy(filled(bytes, 1), ordinary.begin());
  const memory_key key = job.at(1).register_span(1, ordinary);
  const remote_memory memory = job.at(0).import(0, 1, key);
  std::array<std::byte, 1> first{};
  if (!job.at(0).read_aside(0, 1, key, 0, first)) GTEST_SKIP() << "nothing attaches here";

  std::array<std::vector<std::byte>, 3> to;
  std::array<told, 3> ready;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].resize(mib + i);
    ASSERT_EQ(job.at(0).get(0, memory, i * mib, to[i], &ready[i]).what, outcome::pending);
  }
  const std::byte last = ordinary[to[2].size() - 1 + 2 * mib];
  to[2].back() = ~last;
  for (int turn = 0; to[2].back() != last; ++turn) {
    ASSERT_LT(turn, 10'000'000) << "the owner must come for what is far behind";
    job.at(0).poll(0);
  }
  EXPECT_EQ(ready[0].times, 0) << "what the owner was asked for is its own to copy";
  for (int turn = 0; ready[2].times == 0; ++turn) {
    ASSERT_LT(turn, 100'000);
    for (int p = 1; p >= 0; --p) job.at(p).poll(p);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    EXPECT_EQ(ready[i].times, 1);
    EXPECT_TRUE(std::ranges::equal(to[i], ordinary.subspan(i * mib, to[i].size()))) << i;
  }
  job.at(1).deregister(1, key);
  munmap(mapped, bytes);
}

/// From now on this thread's process_vm_readv fails with EPERM, as in a strict container.
void refuse_attach() {
  std::array<sock_filter, 4> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), 0);
}

TEST(shm_private_reads, refused_attach_falls_back_to_two_copies) {
  threads_job job(2);
  std::thread confined([&] {
    refuse_attach();
    read_everything(job, 2);
  });
  confined.join();
}

/// Whether rank 0 can read aside what rank 1 has registered: then of all sizes, and nothing else.
bool reads_aside(threads_job& job) {
  const std::vector<std::byte> source = filled(3 * mib, 1);
  const memory_key key = job.at(1).register_span(1, source);
  bool all = true;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 4 * kib + 1, 3 * mib - 5}) {
    std::vector<std::byte> to(bytes + 1);
    const std::size_t offset = bytes == 0 ? 3 * mib : 5;
    all = all && job.at(0).read_aside(0, 1, key, offset, std::span(to).first(bytes));
    for (std::size_t i = 0; all && i < bytes; ++i) EXPECT_EQ(to[i], pattern(offset + i, 1));
    EXPECT_EQ(to.back(), std::byte{0});
  }
  std::vector<std::byte> more(6);
  EXPECT_FALSE(job.at(0).read_aside(0, 1, key, 3 * mib - 5, more)) << "beyond what was registered";
  EXPECT_FALSE(job.at(0).read_aside(0, 1, {}, 0, more)) << "no key";
  job.at(1).deregister(1, key);
  return all;
}

TEST(shm_private_reads, aside_from_any_thread) {
  threads_job job(2);
  EXPECT_TRUE(job.at(0).describe().of(nearness::node).reads_aside);
  std::thread another([&] { EXPECT_TRUE(reads_aside(job)); });
  another.join();
}

TEST(shm_private_reads, aside_are_refused_where_nothing_attaches) {
  threads_job without(2, 1, {{"shm_cma", "off"}});
  EXPECT_FALSE(without.at(0).describe().of(nearness::node).reads_aside);
  EXPECT_FALSE(reads_aside(without));
  threads_job job(2);
  std::thread confined([&] {
    refuse_attach();
    EXPECT_FALSE(reads_aside(job));
  });
  confined.join();
}

TEST(shm_private_reads, huge_pages_are_recognised) {
  const std::size_t room = 4 * mib;
  auto* base = static_cast<std::byte*>(
      mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(base, MAP_FAILED);
  auto* aligned = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(base) + 2 * mib - 1) & ~(2 * mib - 1));
  madvise(aligned, 2 * mib, MADV_NOHUGEPAGE);
  std::memset(aligned, 1, 2 * mib);
  EXPECT_FALSE(shm_detail::mostly_huge({aligned, 2 * mib}));
  madvise(aligned, 2 * mib, MADV_HUGEPAGE);
  constexpr int collapse = 25;
  if (madvise(aligned, 2 * mib, collapse) != 0) GTEST_SKIP() << "no huge pages here";
  EXPECT_TRUE(shm_detail::mostly_huge({aligned, 2 * mib}));
  EXPECT_TRUE(shm_detail::mostly_huge({aligned + 12345, mib}));
  munmap(base, room);
}

}  // namespace
}  // namespace upwash::conduit
