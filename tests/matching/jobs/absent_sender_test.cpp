// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Large messages between processes of a machine come while their sender computes, where the kernel
// lets processes read each other's memory.
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/relax.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"

namespace {

using namespace upwash;

constexpr std::size_t most_bytes = std::size_t{3} << 20U;

struct whereabouts {
  std::int64_t process = 0;
  std::uint64_t address = 0;
};

std::uint32_t item(std::size_t i, std::size_t bytes) {
  return static_cast<std::uint32_t>(i * 2654435761U + bytes);
}

bool attaches(const whereabouts& there) {
  std::byte here{};
  const iovec into{&here, 1};
  const iovec from{reinterpret_cast<void*>(static_cast<std::uintptr_t>(there.address)), 1};
  return process_vm_readv(static_cast<pid_t>(there.process), &into, 1, &from, 1, 0) == 1;
}

/// Sends, and does not call upwash before `received` has been written, or does nothing at all
/// before its receiver wakes it.
void send_and_leave(const team& world, int to, std::span<const std::uint32_t> items,
                    std::uint64_t& received, std::uint64_t round, bool stops) {
  auto going = send(world, to, 1, items);
  if (stops) raise(SIGSTOP);
  while (std::atomic_ref(received).load(std::memory_order_acquire) < round) relax();
  going.wait();
}

/// Ends its stop, once it has stopped.
void wake(pid_t process) {
  const auto state = [process] {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_ends = text.rfind(')');
    return name_ends == std::string::npos ? 'X' : text[name_ends + 2];
  };
  while (state() != 'T' && state() != 'X') relax();
  EXPECT_EQ(kill(process, SIGCONT), 0);
}

/// Memory in small pages: reads of huge ones never ask the owner.
std::span<std::uint32_t> small_pages() {
  void* const base =
      mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(base, MAP_FAILED);
  madvise(base, most_bytes, MADV_NOHUGEPAGE);
  return {static_cast<std::uint32_t*>(base), most_bytes / sizeof(std::uint32_t)};
}

}  // namespace

JOB_TEST(absent_sender, does_not_hold_up_what_it_has_sent, .least_ranks = 2, .on_sim = false,
         .on_loopback = false, .on_composite = false, .shares_process = false) {
  const team world = here.world();
  if (host(here).endpoint().describe().name != "shm") return;
  region flag = allocate(world, sizeof(std::uint64_t));
  const std::span<std::uint32_t> memory = small_pages();
  const int partner = here.rank() ^ 1;
  const bool sends = here.rank() % 2 == 0;
  bool may = partner < here.size();
  // Its first put asks for the key of the memory.
  if (may) put_value(here, flag.at<std::uint64_t>(partner), std::uint64_t{0});
  whereabouts there;
  if (may && sends) {
    const whereabouts mine{getpid(), reinterpret_cast<std::uintptr_t>(memory.data())};
    send(world, blocking, partner, 2, mine);
    receive(world, blocking, partner, 3, may);
  } else if (may) {
    receive(world, blocking, partner, 2, there);
    may = attaches(there);
    send(world, blocking, partner, 3, may);
  }
  std::uint64_t round = 0;
  constexpr std::array sizes{std::size_t{20'000}, std::size_t{300'004}, most_bytes};
  while (may && round < 40) {
    const std::size_t bytes = sizes[round++ % sizes.size()];
    const bool stops = round % 4 == 0;
    const std::span<std::uint32_t> part = memory.first(bytes / sizeof(std::uint32_t));
    if (sends) {
      for (std::size_t i = 0; i < part.size(); ++i) part[i] = item(i, bytes + round);
      send_and_leave(world, partner, part, flag.mine_as<std::uint64_t>()[0], round, stops);
      if (round % 5 == 0) send(world, blocking, partner, 1, std::span<const std::uint32_t>(part));
      continue;
    }
    receive(world, blocking, partner, 1, part);
    put_value(here, flag.at<std::uint64_t>(partner), round);
    if (stops) wake(static_cast<pid_t>(there.process));
    for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], item(i, bytes + round)) << i;
    // Now and then both copy, and the sender is known to be there.
    if (round % 5 == 0) receive(world, blocking, partner, 1, part);
  }
  control::barrier(world);
  munmap(memory.data(), most_bytes);
  free(flag);
}
