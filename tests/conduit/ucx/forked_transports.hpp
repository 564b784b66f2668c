// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes with a transport over UCX each, without all that stands above it.
#pragma once

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/conduit/ucx/ucx_plugin.hpp"
#include "upwash/conduit/wire/plugin.hpp"

namespace upwash::test {

using conduit::outcome;

struct told final : conduit::completion {
  told() {
    tell = [](completion& self) noexcept { ++static_cast<told&>(self).times; };
  }
  int times = 0;
};

/// A process, and what its transport brought it.
struct forked_process final : conduit::wire::transport_user {
  forked_process(int number, int of, conduit::ucx::ucx_transport& through)
      : self(number), processes(of), over(through), packets(static_cast<std::size_t>(of)) {}

  [[nodiscard]] bool packet(int process, std::span<const std::byte> bytes) override {
    packets[static_cast<std::size_t>(process)].emplace_back(bytes.begin(), bytes.end());
    return true;
  }
  void lost(int process, std::string_view why) noexcept override {
    lost_process = process;
    std::fprintf(stderr, "process %d: %d is lost: %.*s\n", self, process,
                 static_cast<int>(why.size()), why.data());
  }
  void unreachable(int process, std::string_view why) noexcept override { lost(process, why); }
  void pause() noexcept override { sched_yield(); }

  /// Polls until `is_so`.
  void until(const std::function<bool()>& is_so) {
    while (!is_so()) {
      if (over.poll(*this, 64) == 0) sched_yield();
    }
  }
  void close() { over.close(*this, {}); }

  const int self;
  const int processes;
  conduit::ucx::ucx_transport& over;
  std::vector<std::vector<std::vector<std::byte>>> packets;  ///< by who sent them
  int lost_process = -2;
};

struct forked_options {
  int processes = 2;
  const char* transports = nullptr;  ///< UCX_TLS; null: as UCX likes
  bool near = true;                  ///< they know that they share a node
};

/// What all of them read and write.
struct forked_board {
  struct row {
    std::atomic<std::size_t> bytes;
    std::array<std::byte, 4000> address;
  };
  std::array<row, 16> rows;
  std::atomic<int> met;
  std::array<memory_key, 16> keys;

  /// All processes, so many times.
  void meet(forked_process& me, int times) {
    ++met;
    me.until([&] { return met >= times * me.processes; });
  }
};

/// A process says what went wrong in it; nothing if nothing did.
using forked_body = std::function<std::string(forked_process& me, forked_board& all)>;

inline const conduit::wire::plugin_wanted ucx_plugin_file{
    .name = "ucx", .file = {}, .knob = "ucx_plugin", .package = "libucx0"};

inline void meet(conduit::ucx::ucx_transport& over, forked_board& all, int self,
                 const forked_options& how) {
  forked_board::row& mine = all.rows[static_cast<std::size_t>(self)];
  std::memcpy(mine.address.data(), over.address().data(), over.address().size());
  mine.bytes = over.address().size();
  conduit::ucx::peer_addresses peers;
  peers.stride = mine.address.size();
  for (int p = 0; p < how.processes; ++p) {
    const forked_board::row& of = all.rows[static_cast<std::size_t>(p)];
    while (of.bytes == 0) sched_yield();
    peers.bytes.insert(peers.bytes.end(), of.address.begin(), of.address.end());
    peers.near.push_back(static_cast<char>(how.near));
  }
  over.meet(std::move(peers));
}

/// What went wrong in a process; nothing if nothing did.
inline std::string run_process(int self, const forked_options& how, const forked_body& body,
                               forked_board& all) {
  if (how.transports != nullptr) setenv("UCX_TLS", how.transports, 1);
  const auto& loaded =
      static_cast<const conduit::ucx::ucx_plugin&>(conduit::wire::load_plugin(ucx_plugin_file));
  std::string fault;
  const std::unique_ptr<conduit::ucx::ucx_transport> over(
      loaded.start({.process = self, .one_host = true, .interfaces = {}, .addresses = {}}, fault));
  if (over != nullptr) {
    meet(*over, all, self, how);
    forked_process me(self, how.processes, *over);
    fault = body(me, all);
  }
  return fault;
}

/// An exception ends the process: in a copy of the test program it would begin further tests.
[[noreturn]] inline void be_process(int self, const forked_options& how, const forked_body& body,
                                    forked_board& all) {
  alarm(120);
  std::string fault;
  try {
    fault = run_process(self, how, body, all);
  } catch (const std::exception& what) {
    fault = what.what();
  }
  if (!fault.empty()) fmt::print(stderr, "process {}: {}\n", self, fault);
  _exit(fault.empty() ? 0 : 1);
}

/// Whether there is a plugin to test.
inline bool has_ucx() { return conduit::wire::find_plugin(ucx_plugin_file).has_value(); }

/// Their exit statuses, as wait tells them; those that `body` found a fault in have 1.
inline std::vector<int> run_forked(const forked_options& options, const forked_body& body) {
  void* shared = mmap(nullptr, sizeof(forked_board), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& all = *new (shared) forked_board();
  std::vector<pid_t> children;
  for (int p = 0; p < options.processes; ++p) {
    const pid_t child = fork();
    if (child == 0) be_process(p, options, body, all);
    children.push_back(child);
  }
  std::vector<int> statuses(children.size());
  for (std::size_t p = 0; p < children.size(); ++p) waitpid(children[p], &statuses[p], 0);
  munmap(shared, sizeof(forked_board));
  return statuses;
}

}  // namespace upwash::test
