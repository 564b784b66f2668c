// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fences of all ranks beside each other, after Saify 2002, figures 3.3 to 3.6: each rank stores a
// word at some others, by a put that nobody acknowledges or by an accumulate, and fences.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "bench/onesided.hpp"
#include "upwash/onesided/accumulate.hpp"
#include "upwash/onesided/fence.hpp"

namespace upwash::bench {
namespace {

/// So many targets, with so many requests in flight.
struct figure {
  int targets;
  std::vector<int> in_flight;
};

/// Those of the thesis on 4 and 8 ranks; where targets are given (--degree), these.
std::vector<figure> figures_of(int ranks, int targets) {
  if (targets > 0) return {{std::min(targets, ranks - 1), {3, 5, std::min(targets, ranks - 1)}}};
  if (ranks == 4) return {{2, {1, 2}}, {3, {1, 2, 3}}};
  if (ranks == 8) return {{2, {3}}, {4, {3, 5}}, {6, {3, 5, 7}}, {7, {3, 5, 7}}};
  if (ranks == 2) return {{1, {1}}};
  return {{ranks / 2, {3, 5}}, {ranks - 1, {3, 5, ranks - 1}}};
}

/// A word of each rank at each other one.
class storer {
 public:
  storer(context& c, int targets, bool sums)
      : here_(c.here()),
        sums_(sums),
        targets_(targets),
        area_(allocate(here_.world(), static_cast<std::size_t>(c.size()) * sizeof(one_))),
        open_(static_cast<std::size_t>(targets)) {}

  void store_to_all() {
    const std::span<const std::int64_t> from(&one_, 1);
    for (int k = 1; k <= targets_; ++k) {
      const auto to = area_.at<std::int64_t>((here_.rank() + k) % here_.size(),
                                             static_cast<std::uint64_t>(here_.rank()));
      if (sums_) {
        accumulate(here_, to, from, 1, implicit);
      } else {
        open_[static_cast<std::size_t>(k - 1)] = put(here_, to, from, unacknowledged);
      }
    }
    wait_all(open_);
  }
  void end() {
    here_.quiet();
    free(area_);
  }

 private:
  job& here_;
  bool sums_;
  int targets_;
  std::int64_t one_ = 1;
  region area_;
  std::vector<request> open_;
};

/// Microseconds of a fence behind the stores: the mean of all ranks, as in the thesis.
double fence_us(context& c, storer& all, const fence_options& how, long iterations) {
  duration total;
  for (long i = -1; i < iterations; ++i) {  // the first fetches keys
    control::barrier(c.here().world());
    all.store_to_all();
    const duration start = c.here().now();
    fence_all(c.here(), how);
    if (i >= 0) total += c.here().now() - start;
  }
  return mean_of(c, total, c.size()).us() / static_cast<double>(iterations);
}

void rows_of(context& c, const figure& each, bool sums) {
  storer all(c, each.targets, sums);
  const std::string what = fmt::format("{} to {}", sums ? "sum" : "put", each.targets);
  const auto timed = [&](const fence_options& how) {
    return [&, how](long iterations) { return fence_us(c, all, how, iterations); };
  };
  const auto one_by_one = timed({.order = fence_order::sequential});
  c.measure({.label = what + ", in turn", .bytes = 8, .unit = "us"}, one_by_one);
  for (const int k : each.in_flight) {
    for (const fence_order order : {fence_order::batches, fence_order::window}) {
      const char* name = order == fence_order::batches ? "batch" : "window";
      c.compare({.label = fmt::format("{}, {} {}", what, name, k), .bytes = 8, .unit = "us"},
                timed({.order = order, .in_flight = k}), one_by_one);
    }
  }
  all.end();
}

/// What a fence asks and is answered, behind puts to all others.
void messages_of(context& c) {
  storer all(c, c.size() - 1, false);
  c.measure({.label = "all-fence", .bytes = 8, .unit = "messages"}, [&](long /*iterations*/) {
    all.store_to_all();
    const int asked = fence_all(c.here(), {.order = fence_order::sequential}).asked;
    control::barrier(c.here().world());
    return 2.0 * asked;
  });
  all.end();
}

}  // namespace

void all_fence(context& c) {
  if (c.size() < 2) return;
  for (const bool sums : {false, true}) {
    for (const figure& each : figures_of(c.size(), c.chosen().degree)) rows_of(c, each, sums);
  }
  if (c.chosen().degree == 0) messages_of(c);
}

}  // namespace upwash::bench
