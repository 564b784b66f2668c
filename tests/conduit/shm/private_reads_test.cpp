// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads of private memory by the shared-memory conduit, by both mechanisms, with owners that come
// and go.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "tests/conduit/shm/filled.hpp"
#include "tests/conduit/shm/threads_job.hpp"
#include "tests/sanitized.hpp"
#include "upwash/conduit/shm/detail/pages.hpp"

namespace upwash::conduit {
namespace {

using testing::filled;
using testing::kib;
using testing::mib;
using testing::pattern;
using testing::threads_job;
using testing::told;

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

/// Private memory in small pages, so that reads of it go through the pipeline.
class small_pages {
 public:
  explicit small_pages(std::size_t bytes)
      : base_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        bytes_(bytes) {
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    madvise(base_, bytes, MADV_NOHUGEPAGE);
    std::ranges::copy(filled(bytes, 1), span().begin());
  }
  small_pages(const small_pages&) = delete;
  small_pages& operator=(const small_pages&) = delete;
  ~small_pages() { munmap(base_, bytes_); }

  [[nodiscard]] std::span<std::byte> span() const {
    return {static_cast<std::byte*>(base_), bytes_};
  }

 private:
  void* base_;
  std::size_t bytes_;
};

/// Whether rank 0 may read the memory of rank 1 by attach.
bool attaches(threads_job& job, const memory_key& key) {
  std::array<std::byte, 1> first{};
  return job.at(0).read_aside(0, 1, key, 0, first);
}

/// Rank 0 reads three spans that rank 1 has, which does not poll meanwhile.
void read_in_absence(threads_job& job, const memory_key& key, std::span<const std::byte> source) {
  const remote_memory memory = job.at(0).import(0, 1, key);
  const std::size_t third = source.size() / 4;
  std::array<std::vector<std::byte>, 3> to;
  std::array<told, 3> ready;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].resize(third + i);
    ASSERT_EQ(job.at(0).get(0, memory, i * third, to[i], &ready[i]).what, outcome::pending);
  }
  const auto over = [&] {
    return std::ranges::all_of(ready, [](const told& one) { return one.times != 0; });
  };
  for (int turn = 0; !over(); ++turn) {
    ASSERT_LT(turn, 10'000'000) << "the owner must come";
    job.at(0).poll(0);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    EXPECT_EQ(ready[i].times, 1);
    EXPECT_TRUE(std::ranges::equal(to[i], source.subspan(i * third, to[i].size()))) << i;
  }
}

/// How many polls of rank 0 alone end a read. -1: the read is not over after so many.
int polls_of(threads_job& job, const remote_memory& memory, std::size_t offset,
             std::span<std::byte> to, int most) {
  told ready;
  EXPECT_EQ(job.at(0).get(0, memory, offset, to, &ready).what, outcome::pending);
  for (int polls = 1; polls <= most; ++polls) {
    job.at(0).poll(0);
    if (ready.times != 0) return polls;
  }
  for (int turn = 0; ready.times == 0; ++turn) {
    EXPECT_LT(turn, 100'000);
    for (int p = 0; p < 2; ++p) job.at(p).poll(p);
  }
  return -1;
}

void do_without_an_owner(threads_job& job) {
  for (const std::size_t bytes : {4 * mib, 80 * kib, 700 * kib}) {
    auto source = std::make_unique<small_pages>(bytes);
    const memory_key key = job.at(1).register_span(1, source->span());
    if (!attaches(job, key)) GTEST_SKIP() << "nothing attaches here";
    read_in_absence(job, key, source->span());
    // The owner hears of requests only now, when there is nothing to read any more.
    job.at(1).deregister(1, key);
    source.reset();
    for (int turn = 0; turn < 100; ++turn) job.at(1).poll(1);
    read_everything(job, 2);  // and the pipeline is in order
  }
}

TEST(shm_private_reads, do_without_an_owner_that_is_away) {
  threads_job job(2);
  do_without_an_owner(job);
}

TEST(shm_private_reads, do_without_an_owner_that_cannot_be_asked) {
  threads_job job(2, 1, {{"shm_ring_lines", "8"}});  // soon full
  do_without_an_owner(job);
}

TEST(shm_private_reads, do_not_wait_for_an_owner_that_was_away) {
  threads_job job(2);
  const small_pages source(4 * mib);
  const memory_key key = job.at(1).register_span(1, source.span());
  if (!attaches(job, key)) GTEST_SKIP() << "nothing attaches here";
  const remote_memory memory = job.at(0).import(0, 1, key);
  read_in_absence(job, key, source.span());
  constexpr std::size_t at_once = 256 * kib;
  for (int round = 0; round < 1000; ++round) {
    const std::size_t bytes =
        std::array{4 * kib + 1, 16 * kib, at_once, 3 * mib}[round % (round < 100 ? 4 : 2)];
    std::vector<std::byte> to(bytes);
    const std::size_t offset = round * 97U;
    const int most = static_cast<int>(bytes / at_once) + 2;  // the part that was asked for, too
    const int polls = polls_of(job, memory, offset, to, most);
    ASSERT_NE(polls, -1) << bytes << " bytes in round " << round;
    ASSERT_TRUE(std::ranges::equal(to, source.span().subspan(offset, bytes))) << round;
  }
  job.at(1).deregister(1, key);
}

TEST(shm_private_reads, let_an_owner_that_was_away_copy_again) {
  threads_job job(2);
  const small_pages source(mib);
  const memory_key key = job.at(1).register_span(1, source.span());
  if (!attaches(job, key)) GTEST_SKIP() << "nothing attaches here";
  const remote_memory memory = job.at(0).import(0, 1, key);
  std::vector<std::byte> to(64 * kib);
  int left_to_the_owner = 0;
  for (int round = 0; round < 100; ++round) {
    read_in_absence(job, key, source.span());
    told ready;
    ASSERT_EQ(job.at(0).get(0, memory, 0, to, &ready).what, outcome::pending);
    while (ready.times == 0) {
      for (int p = 1; p >= 0; --p) job.at(p).poll(p);
    }
    // More than ten times longer than it takes, which may happen now and then.
    if (polls_of(job, memory, 0, to, 2) == -1) ++left_to_the_owner;
    ASSERT_TRUE(std::ranges::equal(to, source.span().first(to.size()))) << round;
  }
  EXPECT_GT(left_to_the_owner, 0);
  job.at(1).deregister(1, key);
}

TEST(shm_private_reads, do_without_an_owner_whose_parts_are_longer_than_an_attach) {
  threads_job job(2, 1, {{"shm_pipeline", "16m"}});
  const small_pages source(36 * mib);  // parts of 2 MiB
  const memory_key key = job.at(1).register_span(1, source.span());
  if (!attaches(job, key)) GTEST_SKIP() << "nothing attaches here";
  read_in_absence(job, key, source.span());
  job.at(1).deregister(1, key);
}

TEST(shm_private_reads, wait_for_owners_of_memory_that_does_not_attach) {
  constexpr std::size_t bytes = 64 * kib;
  constexpr long memfd_secret = 447;  // Linux 5.14
  const auto fd = static_cast<int>(syscall(memfd_secret, 0));
  if (fd < 0 || ftruncate(fd, bytes) != 0) GTEST_SKIP() << "no secret memory here";
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (base == MAP_FAILED) GTEST_SKIP() << "no secret memory here";
  const std::span source(static_cast<std::byte*>(base), bytes);
  std::ranges::copy(filled(bytes, 1), source.begin());
  threads_job job(2);
  const memory_key key = job.at(1).register_span(1, source);
  ASSERT_FALSE(attaches(job, key));
  const remote_memory memory = job.at(0).import(0, 1, key);
  const small_pages other(mib);
  const memory_key other_key = job.at(1).register_span(1, other.span());
  int rounds = 0;
  const bool others_attach = attaches(job, other_key);
  for (const std::size_t some : {std::size_t{100}, 20 * kib, bytes, 20 * kib, bytes}) {
    // By the last two the owner is known to be away.
    if (others_attach && rounds++ > 2) read_in_absence(job, other_key, other.span());
    std::vector<std::byte> to(some);
    told ready;
    ASSERT_EQ(job.at(0).get(0, memory, 0, to, &ready).what, outcome::pending);
    for (int turn = 0; turn < 20'000; ++turn) job.at(0).poll(0);
    EXPECT_EQ(ready.times, 0);
    for (int turn = 0; ready.times == 0; ++turn) {
      ASSERT_LT(turn, 100'000);
      for (int p = 0; p < 2; ++p) job.at(p).poll(p);
    }
    EXPECT_TRUE(std::ranges::equal(to, source.first(some))) << some;
  }
  job.at(1).deregister(1, key);
  job.at(1).deregister(1, other_key);
  munmap(base, bytes);
}

TEST(shm_private_reads, find_all_from_owners_that_come_and_go) {
  threads_job job(2);
  const small_pages source(mib);
  const memory_key key = job.at(1).register_span(1, source.span());
  if (!attaches(job, key)) GTEST_SKIP() << "nothing attaches here";
  std::atomic<bool> over = false;
  std::thread owner([&] {
    std::mt19937 random(1);
    while (!over) {
      for (auto turns = random() % 40; turns > 0; --turns) job.at(1).poll(1);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 600));
    }
  });
  const remote_memory memory = job.at(0).import(0, 1, key);
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::array<std::vector<std::byte>, 3> to;
    std::array<std::size_t, 3> offsets{};
    std::array<told, 3> ready;
    const std::size_t going = 1 + random() % to.size();
    for (std::size_t i = 0; i < going; ++i) {
      offsets[i] = random() % (mib / 2);
      to[i].resize(4 * kib + 1 + random() % (mib / 2 - 4 * kib));
      const auto result = job.at(0).get(0, memory, offsets[i], to[i], &ready[i]);
      if (result.what == outcome::done) ++ready[i].times;
    }
    while (std::any_of(ready.begin(), ready.begin() + going,
                       [](const told& one) { return one.times == 0; })) {
      job.at(0).poll(0);
    }
    for (std::size_t i = 0; i < going; ++i) {
      ASSERT_TRUE(std::ranges::equal(to[i], source.span().subspan(offsets[i], to[i].size())))
          << round;
    }
  }
  over = true;
  owner.join();
  job.at(1).deregister(1, key);
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
