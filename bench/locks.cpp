// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks beside each other. Simulated: how long a lock and an unlock take by the number of ranks
// that want the same one, after Saify 2002, figures 5.4 and 5.5. On the machine: one that nobody
// else wants, one that all want; floor: tickets by hand.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "bench/onesided.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/onesided/locks.hpp"

namespace upwash::bench {
namespace {

constexpr std::array every_kind{lock_kind::ticket, lock_kind::server,       lock_kind::hybrid,
                                lock_kind::queue,  lock_kind::test_and_set, lock_kind::array};

/// Those that were asked for (locks:KIND), or the bench's own.
std::vector<lock_kind> kinds_of(const context& c) {
  const std::string& chosen = c.chosen().algorithm;
  const std::size_t colon = chosen.find(':');
  if (colon == std::string::npos) {
    if (c.simulated()) return {lock_kind::hybrid, lock_kind::queue};
    return {every_kind.begin(), every_kind.end()};
  }
  std::string names;
  for (const lock_kind each : every_kind) {
    if (chosen.substr(colon + 1) == to_string(each)) return {each};
    names += fmt::format(" {}", to_string(each));
  }
  throw error(error_kind::argument,
              fmt::format("--algorithm {}: locks are of these kinds:{}", chosen, names));
}

/// Ranks from `first` on take one lock again and again.
struct contest {
  int first = 0;
  int ranks = 1;
  int owner = 0;
};

struct lock_times {
  double lock_us = 0;
  double unlock_us = 0;
};

/// Means of those that take part; the others serve in the barrier.
lock_times times_of(context& c, lock_set& locks, const contest& who, long iterations) {
  duration locking;
  duration unlocking;
  control::barrier(c.here().world());
  if (c.rank() >= who.first && c.rank() < who.first + who.ranks) {
    for (long i = 0; i < iterations; ++i) {
      const duration start = c.here().now();
      locks.lock(who.owner, 0);
      const duration held = c.here().now();
      locks.unlock(who.owner, 0);
      locking += held - start;
      unlocking += c.here().now() - held;
    }
  }
  control::barrier(c.here().world());
  const double each = static_cast<double>(iterations);
  return {mean_of(c, locking, who.ranks).us() / each, mean_of(c, unlocking, who.ranks).us() / each};
}

/// The figures end at 8; from there on twice as many each time, and all at last.
std::vector<int> contenders_up_to(int most) {
  constexpr int in_figures = 8;
  std::vector<int> all;
  for (int ranks = 1; ranks < most; ranks = ranks < in_figures ? ranks + 1 : 2 * ranks) {
    all.push_back(ranks);
  }
  if (most > 0) all.push_back(most);
  return all;
}

/// A lock at rank 0: remote is wanted by the last ranks, own by the first ones, it among them.
void simulated_rows(context& c, lock_kind kind, bool remote) {
  lock_set locks(c.here().world(), 1, kind);
  for (const int ranks : contenders_up_to(remote ? c.size() - 1 : c.size())) {
    const contest who{remote ? c.size() - ranks : 0, ranks, 0};
    static_cast<void>(times_of(c, locks, who, 1));  // fetches keys
    const auto label = [&](const char* what) {
      return fmt::format("{} {} by {}{}", to_string(kind), what, ranks, remote ? "" : ", own");
    };
    c.measure({.label = label("lock"), .unit = "us"},
              [&](long iterations) { return times_of(c, locks, who, iterations).lock_us; });
    c.measure({.label = label("unlock"), .unit = "us"},
              [&](long iterations) { return times_of(c, locks, who, iterations).unlock_us; });
  }
  locks.release();
}

/// Two words at a rank: a ticket, and whose turn it is.
class bare_tickets {
 public:
  bare_tickets(context& c, int owner) : c_(c), area_(allocate(c.here().world(), 128)) {
    words_ = local(c.here(), area_.at<std::uint64_t>(owner), 16);
  }
  void lock_and_unlock() {
    const std::uint64_t ticket = std::atomic_ref(words_[0]).fetch_add(1);
    const std::atomic_ref serving(words_[8]);
    while (serving.load(std::memory_order_acquire) != ticket) c_.relax();
    serving.store(ticket + 1, std::memory_order_release);
  }
  void end() { free(area_); }

 private:
  context& c_;
  region area_;
  std::uint64_t* words_ = nullptr;
};

/// Nanoseconds of each rank for a lock and its unlock, when all want the same one.
template <class Step>
auto by_all(context& c, const Step& step) {
  return [&c, &step](long iterations) {
    control::barrier(c.here().world());
    const duration start = c.here().now();
    for (long i = 0; i < iterations; ++i) step();
    const duration mine = c.here().now() - start;
    control::barrier(c.here().world());
    return mean_of(c, mine, c.size()).ns() / static_cast<double>(iterations);
  };
}

void measured_rows(context& c, lock_kind kind) {
  const int owner = 1 % c.size();
  lock_set locks(c.here().world(), 1, kind);
  const bool by_loads = all_direct(c.here().world());
  bare_tickets by_hand(c, owner);
  const auto step = [&] {
    locks.lock(owner, 0);
    locks.unlock(owner, 0);
  };
  const auto hand = [&] { by_hand.lock_and_unlock(); };
  const auto row = [&](const char* what, const auto& value, const auto& floor) {
    const series made{.label = fmt::format("{}, {}", to_string(kind), what), .unit = "ns"};
    if (by_loads) {
      c.compare(made, value, floor);
    } else {
      c.measure(made, value);
    }
  };
  row("free", by_rank_zero(c, [&](long) { step(); }), by_rank_zero(c, [&](long) { hand(); }));
  row("wanted", by_all(c, step), by_all(c, hand));
  by_hand.end();
  locks.release();
}

}  // namespace

void locks(context& c) {
  for (const lock_kind kind : kinds_of(c)) {
    if (c.simulated()) {
      for (const bool remote : {true, false}) simulated_rows(c, kind, remote);
    } else {
      measured_rows(c, kind);
    }
  }
}

}  // namespace upwash::bench
