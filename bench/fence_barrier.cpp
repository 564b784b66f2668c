// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fence and barrier in one beside the two apart, after Saify 2002, figures 4.3 to 4.5: each
// rank puts to all others, computes for a while, and enters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/floors.hpp"
#include "bench/onesided.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/onesided/fence_barrier.hpp"

namespace upwash::bench {
namespace {

constexpr std::array<std::uint64_t, 2> put_sizes{100, 4000};

/// In microseconds: those of the figures; of other sizes none.
std::vector<int> delays_of(std::uint64_t bytes) {
  if (bytes == 100) return {0, 10, 50, 100};
  if (bytes == 4000) return {0, 50, 100, 200};
  return {0};
}

/// What a rank puts each time, and where.
class putter {
 public:
  putter(context& c, std::uint64_t bytes)
      : here_(c.here()),
        targets_(c.chosen().degree > 0 ? std::min(c.chosen().degree, c.size() - 1) : c.size() - 1),
        words_(bytes, std::byte{1}),
        area_(allocate(here_.world(), bytes * static_cast<std::uint64_t>(targets_))),
        open_(static_cast<std::size_t>(targets_)) {}

  /// The k-th rank before the target has the k-th place there to itself.
  void put_to_all() {
    const int ranks = here_.size();
    for (int k = 1; k <= targets_; ++k) {
      const auto which = static_cast<std::size_t>(k - 1);
      const auto to = area_.at((here_.rank() + k) % ranks, which * words_.size());
      open_[which] = put(here_, to, words_, unacknowledged);
    }
    wait_all(open_);
  }

  void end() { free(area_); }

 private:
  job& here_;
  int targets_;
  std::vector<std::byte> words_;
  region area_;
  std::vector<request> open_;
};

/// Microseconds from entering to leaving, behind puts and a delay.
template <class Sync>
double time_behind_puts(context& c, putter& puts, int delay_us, long iterations, const Sync& sync) {
  // Virtual time repeats; the first time fetches keys.
  const long rounds = c.simulated() ? 2 : iterations;
  duration total;
  long counted = 0;
  for (long i = 0; i < rounds; ++i) {
    control::barrier(c.here().world());
    puts.put_to_all();
    if (delay_us != 0) c.here().compute(duration::from_us(delay_us));
    const duration start = c.here().now();
    sync();
    if (c.simulated() && i == 0) continue;
    total += c.here().now() - start;
    ++counted;
  }
  return total.us() / static_cast<double>(counted);
}

void rows_of(context& c, std::uint64_t bytes, int delay_us) {
  const team world = c.here().world();
  putter puts(c, bytes);
  const auto timed_as = [&](const fence_barrier_options& how) {
    return [&, how](long iterations) {
      return time_behind_puts(c, puts, delay_us, iterations, [&] { fence_barrier(world, how); });
    };
  };
  const std::string behind = fmt::format("{} us", delay_us);
  const series one{.label = "one, " + behind, .bytes = bytes, .unit = "us"};
  const auto combined = timed_as({});
  const auto apart = timed_as({fence_barrier_kind::separate, {fence_order::sequential}});
  if (!c.simulated()) {
    c.compare(one, combined, apart);
  } else {
    c.measure(one, combined);
    c.measure({.label = "apart, " + behind, .bytes = bytes, .unit = "us"}, apart);
    if (delay_us == 0) {
      c.measure({.label = "in a window", .bytes = bytes, .unit = "us"},
                timed_as({.kind = fence_barrier_kind::separate}));
    }
  }
  puts.end();
}

/// What rank 0 sends and is answered, behind puts to all.
void messages_of(context& c) {
  putter puts(c, 8);
  const auto counted = [&](fence_barrier_kind kind) {
    return [&, kind](long /*iterations*/) {
      puts.put_to_all();
      const fence_barrier_count count = fence_barrier(c.here().world(), {.kind = kind});
      control::barrier(c.here().world());
      return static_cast<double>(2 * count.asked + count.messages);
    };
  };
  c.measure({.label = "one", .bytes = 8, .unit = "messages"},
            counted(fence_barrier_kind::automatic));
  c.measure({.label = "apart", .bytes = 8, .unit = "messages"},
            counted(fence_barrier_kind::separate));
  puts.end();
}

}  // namespace

void fence_and_barrier(context& c) {
  for (const std::uint64_t bytes : c.sizes(put_sizes)) {
    for (const int delay : delays_of(bytes)) rows_of(c, bytes, delay);
  }
  messages_of(c);
  if (c.simulated() || !all_direct(c.here().world())) return;
  // One word to the neighbour, beside a barrier by hand.
  const team world = c.here().world();
  region area = allocate(world, 8);
  const auto next = area.at<std::uint64_t>((c.rank() + 1) % c.size());
  bare_barrier by_hand(c);
  c.compare(
      {.label = "to neighbour", .bytes = 8, .unit = "us"},
      [&](long iterations) {
        const duration start = c.here().now();
        for (long i = 0; i < iterations; ++i) {
          put_value(c.here(), next, static_cast<std::uint64_t>(i));
          fence_barrier(world);
        }
        return (c.here().now() - start).us() / static_cast<double>(iterations);
      },
      [&](long iterations) { return by_hand.latency_us(iterations); });
  free(area);
}

}  // namespace upwash::bench
