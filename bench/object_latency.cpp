// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two objects on two ranks that call each other in turn, by the bytes of the argument; calls inside
// a rank; objects that move with each call, by the bytes of their state.
// Floor: a cache line's way, which a call on one rank has none of.
#include <cstddef>
#include <span>
#include <vector>

#include "bench/bench.hpp"
#include "bench/floors.hpp"
#include "upwash/objects/future.hpp"
#include "upwash/objects/object_array.hpp"

namespace upwash::bench {
namespace {

struct player : object<int> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(state);
  }

  void hit(std::span<const std::byte> ball, long left, promise<int> over) {
    if (left == 0) return over.set_value(here(), 1);
    object_view<player>(*this)[index() ^ 1].send<&player::hit>(ball, left - 1, over);
  }
  void touch(long left) {
    if (left == 0) return told.set_value(here(), 1);
    object_view<player>(*this)[index() ^ 1].send<&player::touch>(left - 1);
  }
  void begin(long left, promise<int> over) {
    told = over;
    touch(left);
  }
  void pass_on(long left, promise<int> over) {
    if (left == 0) return over.set_value(here(), 1);
    object_view<player>(*this)[(index() + 2) % 200].send<&player::pass_on>(left - 1, over);
  }
  void grow(std::uint64_t bytes) { state.resize(bytes); }
  void move_on(long left, promise<int> over) {
    if (left == 0) return over.set_value(here(), 1);
    object_view<player>(*this)[index()].send<&player::move_on>(left - 1, over);
    migrate_to(1 - member());
  }

  std::vector<std::byte> state;
  promise<int> told;
};

class court {
 public:
  explicit court(context& c)
      : c_(c), all_(c.here().world(), {.name = "players"}, [](const int& index, int /*members*/) {
          return index % 2;
        }) {
    all_.fill(all_indices<int>({200}));
  }

  /// Nanoseconds of each of so many calls, which follow each other; `begin(n, promise)`.
  template <class Begin>
  double each_ns(long n, const Begin& begin) {
    control::barrier(c_.here().world());
    double spent = 0;
    if (c_.rank() == 0) {
      future<int> over(c_.here());
      const duration start = c_.here().now();
      begin(n, over.get_promise());
      static_cast<void>(over.get());
      spent = (c_.here().now() - start).ns();
    }
    all_.quiet();
    return spent / static_cast<double>(n);
  }
  void round_trips(std::uint64_t bytes) {
    const std::vector<std::byte> ball(bytes);
    c_.compare(
        {.label = "one way", .bytes = bytes, .unit = "ns"},
        [&](long n) {
          const long hits = 2 * n;
          return each_ns(hits, [&](long left, promise<int> over) {
            all_[0].send<&player::hit>(ball, left, over);
          });
        },
        [&](long n) { return line_ping_pong_ns(c_, n); });
  }
  void plain_round_trips() {
    c_.compare(
        {.label = "one way, plain", .bytes = sizeof(long), .unit = "ns"},
        [&](long n) {
          const long hits = 2 * n;  // the last is here
          return each_ns(hits, [&](long left, promise<int> over) {
            all_[0].send<&player::begin>(left, over);
          });
        },
        [&](long n) { return line_ping_pong_ns(c_, n); });
  }
  void local_calls() {
    c_.measure({.label = "on one rank", .bytes = sizeof(long), .unit = "ns"}, [&](long n) {
      return each_ns(
          n, [&](long left, promise<int> over) { all_[0].send<&player::pass_on>(left, over); });
    });
  }
  /// With the call that it brings along.
  void migrations(std::uint64_t bytes) {
    if (c_.rank() == 0) all_[0].send<&player::grow>(bytes);
    all_.quiet();
    c_.compare(
        {.label = "migration", .bytes = bytes, .unit = "ns"},
        [&](long n) {
          return each_ns(2 * n, [&](long left, promise<int> over) {
            all_[0].send<&player::move_on>(left, over);
          });
        },
        [&](long n) { return line_ping_pong_ns(c_, n); });
  }

 private:
  context& c_;
  object_array<player> all_;
};

}  // namespace

void object_latency(context& c) {
  court on(c);
  constexpr std::uint64_t messages[] = {8, 128, 1024, 8192, 65536, 262144};
  constexpr std::uint64_t states[] = {8, 4096, 65536};
  on.plain_round_trips();
  for (const std::uint64_t bytes : c.sizes(messages)) on.round_trips(bytes);
  on.local_calls();
  for (const std::uint64_t bytes : c.sizes(states)) on.migrations(bytes);
}

}  // namespace upwash::bench
