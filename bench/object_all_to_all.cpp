// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each object calls all others, with a payload of its own for each, by every way: time until all
// calls have run, and the processor time of it (on sim). Source: Kumar 2005, 3.2 and figure 3.7:
// an asynchronous all-to-all takes the processor for a part of its time. Floor: calls one by one.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "upwash/objects/future.hpp"
#include "upwash/objects/object_array.hpp"
#include "upwash/objects/strategies.hpp"

namespace upwash::bench {
namespace {

constexpr int objects_a_rank = 4;

/// What the objects of a rank share: calls that are to come, and who waits for them.
struct awaited final : service_base {
  explicit awaited(job& /*here*/) {}
  std::size_t calls = 0;
  promise<int> then;
};

struct way {
  strategy_id by;
  bool delegated = false;
};

struct party : object<int> {
  using object::object;
  template <class A>
  void serialize(A& /*archive*/) {}

  void call_all(way by, std::uint64_t bytes, int objects) {
    const std::vector<std::byte> payload(bytes);
    const object_view<party> all(*this);
    const auto call_each = [&](const auto& calls) {
      for (int i = 1; i < objects; ++i) {
        calls[(index() + i) % objects].template send<&party::take>(payload);
      }
    };
    if (!by.delegated) return call_each(all);
    const auto strategically = all.with(by.by);
    strategically.begin();
    call_each(strategically);
    strategically.end();
  }
  void take(std::vector<std::byte> /*payload*/) {
    auto& waits = here().service<awaited>();
    if (--waits.calls == 0) waits.then.set_value(here(), 1);
  }
};

class exchange {
 public:
  explicit exchange(context& c)
      : c_(c),
        objects_(objects_a_rank * c.size()),
        all_(c.here().world(), {.name = "parties"},
             round_robin<int>({static_cast<std::uint64_t>(objects_)})) {
    all_.fill(all_indices<int>({static_cast<std::uint64_t>(objects_)}));
    // Made before any call comes.
    static_cast<void>(c_.here().service<awaited>());
  }

  void bind(std::string algorithm) { by_ = {all_.bind(each_to_many(std::move(algorithm))), true}; }

  double microseconds(const way& by, std::uint64_t bytes, long iterations) {
    const team world = c_.here().world();
    auto& waits = c_.here().service<awaited>();
    double total = 0;
    double idle = 0;
    for (long i = 0; i < iterations; ++i) {
      future<int> done(c_.here());
      waits.calls = all_.size_here() * static_cast<std::size_t>(objects_ - 1);
      waits.then = done.get_promise();
      control::barrier(world);
      const double idle_before = c_.idle_seconds();
      const duration start = c_.here().now();
      all_.for_each_here(
          [&](party& one) { all_[one.index()].send<&party::call_all>(by, bytes, objects_); });
      static_cast<void>(done.get());
      total += (c_.here().now() - start).us();
      idle += (c_.idle_seconds() - idle_before) * 1e6;
      control::barrier(world);
    }
    if (c_.simulated()) c_.set_cpu((total - idle) / static_cast<double>(iterations));
    return total / static_cast<double>(iterations);
  }
  [[nodiscard]] const way& bound() const { return by_; }
  void quiet() { all_.quiet(); }

 private:
  context& c_;
  int objects_;
  object_array<party> all_;
  way by_;
};

}  // namespace

void object_all_to_all(context& c) {
  constexpr std::uint64_t own[] = {16, 128, 1024};
  if (c.chosen().algorithm.empty() || c.chosen().algorithm == "singly") {
    exchange parties(c);
    for (const std::uint64_t bytes : c.sizes(own)) {
      c.measure({.label = "singly", .bytes = bytes, .unit = "us"},
                [&](long n) { return parties.microseconds({}, bytes, n); });
    }
    parties.quiet();
  }
  for (const char* algorithm : {"direct", "mesh2d", "hypercube"}) {
    if (!c.chosen().algorithm.empty() && c.chosen().algorithm != algorithm) continue;
    exchange parties(c);
    parties.bind(algorithm);
    for (const std::uint64_t bytes : c.sizes(own)) {
      c.compare(
          {.label = algorithm, .bytes = bytes, .unit = "us"},
          [&](long n) { return parties.microseconds(parties.bound(), bytes, n); },
          [&](long n) { return parties.microseconds({}, bytes, n); });
      parties.quiet();
    }
  }
}

}  // namespace upwash::bench
