// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/machine_probe.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <limits>
#include <thread>

#include "upwash/base/error.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/collective/broadcast.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/reduction.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/region.hpp"
#include "upwash/tuning/placement_probe.hpp"

namespace upwash::tuning {
namespace {

constexpr std::size_t longest = std::size_t{1} << 20U;
constexpr int samples = 15;
constexpr double sample_seconds = 0.001;

/// Of one of many: the least of the samples, since what disturbs only adds. `work(n)` does it n
/// times and returns the nanoseconds of all.
double least_ns(job& here, function_ref<double(long)> work) {
  if (host(here).endpoint().describe().virtual_time) return work(16) / 16;
  long times = 1;
  while (work(times) < sample_seconds * 1e9 / 2 && times < 1 << 24) times *= 2;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < samples; ++i) {
    least = std::min(least, work(times) / static_cast<double>(times));
  }
  return least;
}

/// What `work` takes here, over and over.
template <class Work>
double alone_ns(job& here, const Work& work) {
  return least_ns(here, [&](long times) {
    const duration begin = here.now();
    for (long i = 0; i < times; ++i) work(i);
    return (here.now() - begin).ns();
  });
}

/// Two ranks that measure together; how often is rank 0's to say.
class pair_bench {
 public:
  pair_bench(job& here, const team& both)
      : here_(here),
        both_(both),
        memory_(allocate(both, 2 * longest)),
        buffer_(longest),
        received_(longest) {}
  ~pair_bench() noexcept(false) {
    // An error may have taken the other rank away: then nobody is there to free it with.
    if (std::uncaught_exceptions() == 0) free(memory_);
  }
  pair_bench(const pair_bench&) = delete;
  pair_bench& operator=(const pair_bench&) = delete;

  /// One way of `bytes`, by broadcasts there and back.
  double one_way_ns(std::size_t bytes) {
    const std::span<std::byte> data(buffer_.data(), bytes);
    const collective_options how{.algorithm = "flat"};
    return together([&](long times) {
             for (long i = 0; i < times; ++i) {
               broadcast(both_, blocking, 0, data, how);
               broadcast(both_, blocking, 1, data, how);
             }
           }) /
           2;
  }

  /// Of one of many messages with as many the other way: multi-ping.
  double both_ways_ns(std::size_t bytes) {
    constexpr int burst = 8;
    const std::span<std::byte> out(buffer_.data(), bytes);
    const std::span<std::byte> in(received_.data(), bytes);
    const collective_options how{.algorithm = "flat"};
    const int me = both_.rank();
    return together([&](long times) {
             std::vector<request> open(2 * burst);
             for (long i = 0; i < times; ++i) {
               for (std::size_t k = 0; k < open.size(); ++k) {
                 const int root = static_cast<int>(k % 2);
                 open[k] = broadcast(both_, root, root == me ? out : in, how);
               }
               for (request& each : open) each.wait();
             }
           }) /
           burst;
  }

  /// Of a put by rank 0, `burst` of them before any must be complete.
  double put_ns(std::size_t bytes, long burst) {
    const auto to = memory_.at(1);
    const std::span<const std::byte> data(buffer_.data(), bytes);
    return together([&](long times) {
             if (both_.rank() != 0) return;
             for (long i = 0; i < times; ++i) {
               for (long k = 0; k < burst; ++k) put(here_, to, data, implicit);
               here_.quiet();
             }
           }) /
           static_cast<double>(burst);
  }

 private:
  /// Both do the work as often as rank 0 finds right; its least time for once.
  double together(function_ref<void(long)> work) {
    const auto announced = [&](long times) {
      control::broadcast_value(both_, 0, times);
      if (times == 0) return -1.0;
      control::barrier(both_);
      const duration begin = here_.now();
      work(times);
      return (here_.now() - begin).ns();
    };
    if (both_.rank() != 0) {
      while (announced(0) >= 0) {
      }
      return 0;
    }
    const double ns = least_ns(here_, announced);
    static_cast<void>(announced(0));
    return ns;
  }

  job& here_;
  const team& both_;
  region memory_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> received_;
};

level_probe probe_level(job& here, const team& both, level_kind kind, int partner) {
  pair_bench bench(here, both);
  level_probe seen;
  seen.kind = kind;
  seen.partner = partner;
  constexpr long burst = 64;
  static_cast<void>(bench.one_way_ns(8));  // the first messages make connections
  seen.word_ns = bench.one_way_ns(8);
  seen.send_ns = bench.put_ns(8, burst);
  seen.gap_ns = bench.put_ns(64, burst);
  const double half = bench.put_ns(longest / 2, 1);
  const double whole = bench.put_ns(longest, 1);
  seen.put_ns_per_byte = (whole - half) / static_cast<double>(longest / 2);
  for (std::size_t bytes = 64; bytes <= longest; bytes *= 2) {
    seen.one_way.push_back({bytes, bench.one_way_ns(bytes)});
    seen.both_ways.push_back({bytes, bench.both_ways_ns(bytes)});
  }
  if (both.rank() == 0) {
    seen.fit = fit_pieces(seen.one_way);
    seen.burst_fit = fit_pieces(seen.both_ways);
  }
  return seen;
}

/// The slope between two sizes.
template <class Work>
double per_byte(job& here, std::size_t bytes, const Work& work) {
  const double whole = alone_ns(here, [&](long) { work(bytes); });
  const double half = alone_ns(here, [&](long) { work(bytes / 2); });
  return (whole - half) / static_cast<double>(bytes / 2);
}

/// Keeps the compiler from leaving out what nobody reads.
void use(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

double copy_cost(job& here) {
  const std::vector<std::byte> from(longest);
  std::vector<std::byte> to(longest);
  return per_byte(here, longest, [&](std::size_t bytes) {
    std::memcpy(to.data(), from.data(), bytes);
    use(to.data());
  });
}

double reduction_cost(job& here) {
  const std::vector<std::byte> from(longest);
  std::vector<std::byte> to(longest);
  const collective::reduction add = reduction_of<double, sum>();
  return per_byte(here, longest / 4, [&](std::size_t bytes) {
    add.apply(from.data(), to.data(), to.data(), bytes, nullptr);
    use(to.data());
  });
}

/// Two threads on this rank's core hand a word to each other by yielding.
double switch_cost(job& here) {
  const int core = sched_getcpu();
  const auto stay = [core] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(core), &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  };
  cpu_set_t before;
  pthread_getaffinity_np(pthread_self(), sizeof before, &before);
  stay();
  std::atomic<long> word{0};
  std::atomic<bool> over{false};
  std::thread other([&] {
    stay();
    while (!over.load()) {
      if (word.load() % 2 == 1) word.fetch_add(1);
      sched_yield();
    }
  });
  const double there_and_back = alone_ns(here, [&](long) {
    const long asked = word.fetch_add(1) + 1;
    while (word.load() == asked) sched_yield();
  });
  over.store(true);
  other.join();
  pthread_setaffinity_np(pthread_self(), sizeof before, &before);
  return there_and_back / 2;
}

/// The first rank that is on another node; -1: all are on one.
int first_elsewhere(job& here) {
  for (int rank = 1; rank < here.size(); ++rank) {
    if (host(here).endpoint().place(rank).node != host(here).endpoint().place(0).node) return rank;
  }
  return -1;
}

}  // namespace

machine_probe probe_machine(job& here) {
  if (here.size() < 2) {
    throw error(error_kind::environment, "a machine is measured between at least 2 ranks");
  }
  machine_probe seen;
  placement_probe cores(here);
  seen.where = cores.look();
  const int elsewhere = first_elsewhere(here);
  seen.ranks_a_node = collective::ranks_a_node(here.world());
  const auto measure = [&](level_kind kind, int partner) {
    const bool takes_part = here.rank() == 0 || here.rank() == partner;
    team both = here.world().split(takes_part ? 0 : -1, here.rank());
    if (takes_part) {
      seen.levels.push_back(probe_level(here, both, kind, partner));
      both.release();
    }
    control::barrier(here.world());
  };
  if (elsewhere != 1) measure(level_kind::node, 1);
  if (elsewhere > 0) measure(level_kind::network, elsewhere);
  const placement after = cores.look();
  if (here.rank() == 0) {
    if (after != seen.where) seen.where = placement::disturbed;
    if (!host(here).endpoint().describe().virtual_time) {
      seen.copy_ns_per_byte = copy_cost(here);
      seen.reduce_ns_per_byte = reduction_cost(here);
      seen.core_switch_ns = switch_cost(here);
      seen.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    }
  }
  control::barrier(here.world());
  return seen;
}

}  // namespace upwash::tuning
