// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PHOLD (Fujimoto 1990), the event simulation that fine-grained messages are for (Kumar 2005,
// 5.6): each event of a logical process makes one for a random other. Conservative: windows as
// long as the least delay, each ended by the stream's finish. What an event makes depends on
// nothing but itself, so a walk along each chain of events says what must have been processed.
#include <queue>

#include "bench/stream_common.hpp"
#include "upwash/base/random.hpp"

namespace upwash::bench {
namespace {

constexpr std::uint64_t chains = 4096;     ///< a rank: events in flight
constexpr std::uint64_t least_delay = 16;  ///< ticks; a window
constexpr std::uint64_t most_more = 64;    ///< ticks on top of it, drawn

struct event {
  std::uint64_t time;
  std::uint64_t seed;  ///< its own: says where it happens and what it makes
  friend bool operator>(const event& a, const event& b) { return a.time > b.time; }
};

event first_of(std::uint64_t chain) {
  const std::uint64_t seed = random_bits(1990, chain, 0);
  return {seed % most_more, seed};
}
event made_by(const event& cause) {
  const std::uint64_t seed = random_bits(cause.seed, cause.time, 1);
  return {cause.time + least_delay + seed % most_more, seed};
}
int place_of(const event& what, int ranks) {
  return static_cast<int>((what.seed >> 32U) % static_cast<std::uint64_t>(ranks));
}

/// What has been processed.
struct processed {
  std::uint64_t count = 0;
  std::uint64_t checksum = 0;
  void add(const event& one) {
    ++count;
    checksum += one.seed ^ one.time;
  }
};

/// The chains that begin at this rank, one after the other.
processed walked(const context& c, std::uint64_t end) {
  processed all;
  const auto first = static_cast<std::uint64_t>(c.rank()) * chains;
  for (std::uint64_t chain = first; chain < first + chains; ++chain) {
    for (event each = first_of(chain); each.time < end; each = made_by(each)) all.add(each);
  }
  return all;
}

using pending_events = std::priority_queue<event, std::vector<event>, std::greater<>>;

/// All windows; the time that they took.
template <class Items>
duration simulate(context& c, Items& items, pending_events& pending, processed& seen,
                  std::uint64_t end) {
  const auto first = static_cast<std::uint64_t>(c.rank()) * chains;
  for (std::uint64_t chain = first; chain < first + chains; ++chain) {
    items.push(place_of(first_of(chain), c.size()), first_of(chain));
  }
  items.finish();
  const duration start = c.here().now();
  for (std::uint64_t until = least_delay; until <= end; until += least_delay) {
    while (!pending.empty() && pending.top().time < until) {
      const event now = pending.top();
      pending.pop();
      seen.add(now);
      const event next = made_by(now);
      items.push(place_of(next, c.size()), next);
    }
    items.finish();
  }
  return c.here().now() - start;
}

void simulation_rate(context& c, const item_setting& how) {
  pending_events pending;
  const auto take = [&pending](std::span<const event> some) {
    for (const event& each : some) pending.push(each);
  };
  with_items<event>(c.here().world(), how, take, [&](auto& items) {
    const auto rate = [&](long windows) {
      const std::uint64_t end = static_cast<std::uint64_t>(windows) * least_delay;
      pending = {};
      control::barrier(c.here().world());  // nobody's events come before
      processed seen;
      const duration spent = simulate(c, items, pending, seen, end);
      const processed expected = walked(c, end);
      const std::uint64_t events = sum_of_all(c, seen.count);
      verify_equal(c, "events", events, sum_of_all(c, expected.count));
      verify_equal(c, "checksum of events", sum_of_all(c, seen.checksum),
                   sum_of_all(c, expected.checksum));
      return static_cast<double>(events) / spent.us();
    };
    c.measure({.label = how.name, .bytes = sizeof(event), .unit = "M/s", .more_is_better = true},
              rate);
  });
}

}  // namespace

void stream_phold(context& c) {
  for (const item_setting& how : settings_of(c, {"direct", "1d", "2d", "auto"})) {
    simulation_rate(c, how);
  }
}

}  // namespace upwash::bench
