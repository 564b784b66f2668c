// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a waiting policy, and one step of each.
#include "upwash/conduit/patience.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <ctime>
#include <string>

#include "upwash/base/group_limits.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/relax.hpp"

namespace upwash::conduit {
namespace {

// An answer that is under way is seen sooner: a pause of the processor takes some 20 ns.
constexpr std::uint32_t eager_looks = 32;
constexpr std::uint32_t spin_only = 2048;  // pauses, about 50 us
constexpr std::uint32_t yield_each = 32;   // of the pauses after that: others may want the core
constexpr std::uint32_t look_each_spin = 1024;
constexpr std::uint32_t look_each_yield = 64;

const char* name_of(patience::policy policy) {
  switch (policy) {
    case patience::policy::spin: return "spin";
    case patience::policy::yield: return "yield";
    case patience::policy::sleep: return "sleep";
  }
  return "";
}

bool meet(const processor_set& a, const processor_set& b) {
  for (std::size_t word = 0; word < a.size(); ++word) {
    if ((a[word] & b[word]) != 0) return true;
  }
  return false;
}

struct sharing {
  int processes = 0;
  int threads = 0;  ///< of theirs, that poll
  int processors = 0;
};

/// The processes that may run on a processor of `self`, and the processors of them all.
sharing sharing_of(std::span<const polling_process> node, std::size_t self) {
  const processor_set& mine = node[self].processors;
  processor_set all{};
  sharing result;
  for (const polling_process& one : node) {
    if (!meet(one.processors, mine)) continue;
    ++result.processes;
    result.threads += one.threads;
    for (std::size_t word = 0; word < all.size(); ++word) all[word] |= one.processors[word];
  }
  for (const std::uint64_t word : all) result.processors += std::popcount(word);
  result.processors = within_quota(result.processors);
  return result;
}

}  // namespace

processor_set own_processors() {
  processor_set bits{};
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return bits;
  for (std::size_t cpu = 0; cpu < 64 * bits.size() && cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) bits[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
  }
  return bits;
}

patience patience::choose(const settings& values, std::span<const polling_process> node,
                          std::size_t self, std::string_view conduit) {
  const std::string& wanted = values.text("wait_policy");
  const sharing found = sharing_of(node, self);
  policy chosen = found.threads <= found.processors ? policy::spin : policy::yield;
  if (wanted == "spin") chosen = policy::spin;
  if (wanted == "yield") chosen = policy::yield;
  if (wanted == "sleep") chosen = policy::sleep;
  log(log_level::info, conduit,
      fmt::format("wait policy {}: {} process{}{} on {} processor{} ({})", name_of(chosen),
                  found.processes, found.processes == 1 ? "" : "es",
                  found.threads == found.processes
                      ? ""
                      : fmt::format(" of {} threads that poll", found.threads),
                  found.processors, found.processors == 1 ? "" : "s",
                  wanted == "auto" ? "chosen" : "set by wait_policy"));
  if (node[self].threads > 1 && found.threads > found.processors) {
    log(log_level::info, conduit,
        "no processor is free for progress threads: they take turns with ranks that compute; give "
        "them some (UPWASH_PROGRESS_CORES), or start fewer ranks");
  }
  return {chosen, values.time("sleep_after")};
}

bool patience::pause() noexcept {
  if (turn_++ == 0) {
    napping_ = false;
    since_ = duration{};
  }
  if (napping_ || policy_ == policy::sleep) {
    nap();
    return true;
  }
  const bool spinning = policy_ == policy::spin;
  if (spinning) {
    if (turn_ > eager_looks) relax();
    if (turn_ > spin_only && turn_ % yield_each == 0) sched_yield();
  } else {
    sched_yield();
  }
  if (turn_ % (spinning ? look_each_spin : look_each_yield) != 0) return false;
  const duration now = steady_now();
  if (since_ == duration{}) since_ = now;
  napping_ = sleep_after_ > duration{} && now - since_ > sleep_after_;
  return true;
}

void patience::nap() const noexcept {
  if (!napping_) return nap_shortly();
  const timespec time{0, 200'000};
  nanosleep(&time, nullptr);
}

void patience::nap_shortly() noexcept {
  const timespec time{0, 20'000};
  nanosleep(&time, nullptr);
}

}  // namespace upwash::conduit
