// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bare endpoint against the machine, in one run: latency, message rate, private reads, cost
// of an empty poll, each beside its floor. Run it by `upwash run -n 2 --bind core`. Not a test.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/shm/shm_row.hpp"
#include "upwash/conduit/shm/shm_world.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/launch/knobs.hpp"

namespace {

using namespace upwash;
using namespace upwash::conduit;

struct counter final : sink {
  void deliver(const message& m) override {
    ++count;
    if (m.arguments.size() >= 8) std::memcpy(&last, m.arguments.data(), 8);
  }
  std::uint64_t count = 0;
  std::uint64_t last = 0;
};

struct told final : completion {
  told() {
    tell = [](completion& self) noexcept { static_cast<told&>(self).done = true; };
  }
  bool done = false;
};

/// The two ranks of the probe.
struct pair {
  bootstrap& boot;
  endpoint& end;
  int me;
  counter inbox{};

  void send(std::uint64_t value, std::size_t arguments) {
    std::array<std::byte, 48> bytes{};
    std::memcpy(bytes.data(), &value, 8);
    message m;
    m.source = me;
    m.destination = 1 - me;
    m.arguments = std::span(bytes).first(arguments);
    while (end.send(m, false).what != outcome::done) end.poll(me);
  }
  void await(std::uint64_t count) {
    while (inbox.count < count) end.poll(me);
  }
};

struct flag {
  alignas(64) std::atomic<std::uint64_t> value;
};

double line_ping_pong(pair& self, flag* mine, flag* theirs, std::uint64_t& turn) {
  constexpr int rounds = 30'000;
  self.boot.barrier();
  const duration start = steady_now();
  for (int i = 0; i < rounds; ++i) {
    ++turn;
    if (self.me == 0) theirs->value.store(turn, std::memory_order_release);
    while (mine->value.load(std::memory_order_acquire) != turn) {
    }
    if (self.me == 1) theirs->value.store(turn, std::memory_order_release);
  }
  return (steady_now() - start).ns() / (2.0 * rounds);
}

double message_ping_pong(pair& self, std::size_t arguments) {
  constexpr int rounds = 100'000;
  self.boot.barrier();
  const std::uint64_t before = self.inbox.count;
  const duration start = steady_now();
  for (std::uint64_t i = 1; i <= rounds; ++i) {
    if (self.me == 0) self.send(i, arguments);
    self.await(before + i);
    if (self.me == 1) self.send(i, arguments);
  }
  return (steady_now() - start).ns() / (2.0 * rounds);
}

double message_rate(pair& self, std::size_t arguments) {
  constexpr std::uint64_t count = 1'000'000;
  self.boot.barrier();
  const std::uint64_t before = self.inbox.count;
  const duration start = steady_now();
  if (self.me == 0) {
    for (std::uint64_t i = 0; i < count; ++i) self.send(i, arguments);
    self.await(before + 1);
  } else {
    self.await(before + count);
    self.send(0, 8);
  }
  return static_cast<double>(count) / (steady_now() - start).us();
}

double private_read(pair& self, std::size_t bytes, bool huge) {
  const int rounds = static_cast<int>(std::max<std::size_t>(20, (256U << 20U) / bytes / 2));
  const std::size_t room = std::size_t{4} << 20U;
  auto* base = static_cast<std::byte*>(
      mmap(nullptr, 2 * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  auto* mine = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(base) + room - 1) &
                                            ~(room - 1));
  madvise(mine, room, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  std::memset(mine, self.me + 1, bytes);
  const memory_key key = self.end.register_span(self.me, {mine, bytes});
  std::array<memory_key, 2> keys;
  self.boot.exchange(std::as_bytes(std::span(&key, 1)), std::as_writable_bytes(std::span(keys)));
  const remote_memory theirs =
      self.end.import(self.me, 1 - self.me, keys[static_cast<std::size_t>(1 - self.me)]);
  self.boot.barrier();
  const std::uint64_t before = self.inbox.count;
  const duration start = steady_now();
  if (self.me == 0) {
    for (int i = 0; i < rounds; ++i) {
      told ready;
      if (self.end.get(0, theirs, 0, {mine, bytes}, &ready).what == outcome::done) continue;
      while (!ready.done) self.end.poll(0);
    }
    self.send(1, 8);
  } else {
    self.await(before + 1);
  }
  const double ns = (steady_now() - start).ns();
  if (self.me == 0 && mine[bytes - 1] != std::byte{2}) fmt::print("WRONG DATA\n");
  self.boot.barrier();
  self.end.forget(self.me, theirs);
  self.end.deregister(self.me, key);
  munmap(base, 2 * room);
  return static_cast<double>(bytes) * rounds / ns;
}

double empty_poll(pair& self) {
  constexpr int rounds = 1'000'000;
  self.boot.barrier();
  const duration start = steady_now();
  for (int i = 0; i < rounds; ++i) self.end.poll(self.me);
  return (steady_now() - start).ns() / rounds;
}

/// Rates only, many short samples with the floor around each.
void measure_rates(pair& self, flag* mine, flag* theirs) {
  std::uint64_t turn = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const double before = line_ping_pong(self, mine, theirs, turn);
    const double rate8 = message_rate(self, 8);
    const double rate48 = message_rate(self, 48);
    const double after = line_ping_pong(self, mine, theirs, turn);
    if (self.me == 0) {
      fmt::print("{} {:.0f} {:.1f} {:.1f}\n",
                 before < 100 && after < 100   ? "near"
                 : before > 150 && after > 150 ? "far"
                                               : "mixed",
                 before, rate8, rate48);
    }
  }
}

void measure(pair& self, bool rates_only) {
  const memory_block block = self.end.allocate(self.me, 2 * sizeof(flag));
  std::array<memory_key, 2> keys;
  self.boot.exchange(std::as_bytes(std::span(&block.key, 1)),
                     std::as_writable_bytes(std::span(keys)));
  const remote_memory other =
      self.end.import(self.me, 1 - self.me, keys[static_cast<std::size_t>(1 - self.me)]);
  auto* mine = reinterpret_cast<flag*>(block.base);
  auto* theirs = reinterpret_cast<flag*>(other.direct);
  if (rates_only) {
    measure_rates(self, mine, theirs);
    return;
  }
  std::uint64_t turn = 0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const double before = line_ping_pong(self, mine, theirs, turn);
    const double latency8 = message_ping_pong(self, 8);
    const double latency48 = message_ping_pong(self, 48);
    const double after = line_ping_pong(self, mine, theirs, turn);
    const double rate8 = message_rate(self, 8);
    const double rate48 = message_rate(self, 48);
    const double small = private_read(self, 65536, false);
    const double large = private_read(self, 1 << 20, false);
    const double huge = private_read(self, 1 << 20, true);
    const double poll = empty_poll(self);
    const double last = line_ping_pong(self, mine, theirs, turn);
    if (self.me != 0) continue;
    fmt::print(
        "floor {:.0f}/{:.0f}/{:.0f} ns; latency 8 B {:.0f} ({:.2f}x), 48 B {:.0f}; rate 8 B "
        "{:.0f} M/s, 48 B {:.0f}; get 64 KiB {:.1f}, 1 MiB {:.1f}, huge {:.1f} GB/s; empty "
        "poll {:.1f} ns\n",
        before, after, last, latency8, latency8 / std::min(before, after), latency48, rate8, rate48,
        small, large, huge, poll);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char**) {
  knob_table table;
  base_knobs(table);
  launch::launch_knobs(table);
  table.add(shm_row().knobs);
  table.add(process_knobs());
  const knob conduit{"conduit", knob_type::text, "shm", "set by upwash run"};
  table.add({&conduit, 1});
  try {
    const settings values = settings::from_environment(table);
    const auto boot = launch::make_bootstrap(values);
    const auto world = make_shm_world(*boot, values);
    if (world->size() != 2 || world->local_ranks() != 1) {
      fmt::print(stderr, "shm_bench wants 2 ranks, 2 processes\n");
      boot->finished();
      return 2;
    }
    world->run([&](int rank) {
      pair self{*boot, world->endpoint_of(rank), rank};
      self.end.attach(rank, &self.inbox);
      measure(self, argc > 1);
      boot->barrier();
    });
    boot->finished();
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 1;
  }
}
