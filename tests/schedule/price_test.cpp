// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "upwash/collective/dissemination_barrier.hpp"
#include "upwash/collective/doubling_scan.hpp"
#include "upwash/collective/knomial_broadcast.hpp"
#include "upwash/collective/ring_all_reduce.hpp"
#include "upwash/schedule/price.hpp"

namespace {
using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

machine loggp() {
  machine on = uniform_machine(duration::from_us(5), duration::from_us(1), duration::from_us(1.5),
                               0.5);
  return on;
}
double secs(auto t) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}
}  // namespace

TEST(price, scratchpad) {
  const auto show = [](const char* what, int ranks, auto make, const machine& on, bool every, std::uint64_t before = 200000) {
    price_options o;
    o.free_where_absent = true;
    o.every_rank = every;
    o.steps_before_skipping = before;
    const auto t = std::chrono::steady_clock::now();
    const price_result r = price(ranks, [&](int rank) { return generator(make(rank)); }, on, {}, o);
    printf("%s %d: %.6f us cpu %.6f mean %.6f; %s; %lu steps; %.3f s\n", what, ranks, r.completion.us(),
           r.processor_most.us(), r.processor_mean.us(), r.how(ranks).c_str(), r.steps_walked, secs(t));
  };
  for (const machine& on : {loggp(), load_machine("lemieux"), load_machine("edr")}) {
    printf("%s\n", on.name.c_str());
    for (int p : {2, 16, 128, 1000}) {
      for (bool every : {true, false}) {
        show("barrier", p, [p](int r) { return dissemination_barrier(p, r); }, on, every);
        show("ring", p, [p](int r) { return ring_all_reduce(p, r, 100000, 8, false); }, on, every, every ? 1000000000 : 0);
        show("knomial", p, [p](int r) { return knomial_broadcast(p, r, 0, 100000000, {4, 65536}, false); }, on, true, every ? 1000000000 : 0);
        show("scan", p, [p](int r) { return doubling_scan(p, r, 8, false); }, on, every);
      }
    }
    if (getenv("PACE")) continue;
    const int p = 131072;
    show("barrier", p, [p](int r) { return dissemination_barrier(p, r); }, on, false);
    show("ring", p, [p](int r) { return ring_all_reduce(p, r, 1u << 30, 8, false); }, on, false);
    show("ring", p, [p](int r) { return ring_all_reduce(p, r, (1u << 30) + 77, 8, false); }, on, false);
    show("knomial", p, [p](int r) { return knomial_broadcast(p, r, 0, 100000000, {4, 0}, false); }, on, false);
    show("knomial", p, [p](int r) { return knomial_broadcast(p, r, 0, 100000000, {4, 65536}, false); }, on, false);
    show("scan", p, [p](int r) { return doubling_scan(p, r, 8, false); }, on, false);
  }
}
