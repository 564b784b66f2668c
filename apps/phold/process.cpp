// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/phold/process.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "upwash/base/random.hpp"

namespace phold {
namespace {

constexpr auto later = [](const event& a, const event& b) { return a > b; };

double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1.0p-53; }

}  // namespace

process::process(const model& of, std::int32_t index) : index_(index) {
  for (int i = 0; i < of.events; ++i) {
    event first = make(of, -of.lookahead);
    first.at = index;
    take(first);
  }
}

void process::take(const event& one) {
  pending_.push_back(one);
  std::ranges::push_heap(pending_, later);
}

double process::next_time() const noexcept {
  return pending_.empty() ? std::numeric_limits<double>::max() : pending_.front().time;
}

event process::make(const model& of, double now) {
  const auto stream = static_cast<std::uint64_t>(index_);
  const auto draw = [&](std::uint64_t which) {
    return upwash::random_bits(of.seed, stream, std::uint64_t{made_} * 3 + which);
  };
  event next;
  next.time = now + of.lookahead - of.mean * std::log1p(-fraction(draw(0)));
  next.maker = index_;
  next.number = made_;
  const bool anywhere = fraction(draw(1)) < of.remote;
  next.at = anywhere ? static_cast<std::int32_t>(fraction(draw(2)) * of.processes) : index_;
  ++made_;
  return next;
}

event process::happen(const model& of) {
  std::ranges::pop_heap(pending_, later);
  const event now = pending_.back();
  pending_.pop_back();
  ++happened_;
  const auto who = static_cast<std::uint64_t>(now.maker) << 32U | now.number;
  mark_ = upwash::random_bits(mark_, std::bit_cast<std::uint64_t>(now.time), who);
  return make(of, now.time);
}

outcome run_serially(const model& of) {
  std::vector<process> all;
  for (std::int32_t i = 0; i < of.processes; ++i) all.emplace_back(of, i);
  outcome done;
  for (;; ++done.windows) {
    double first = std::numeric_limits<double>::max();
    for (const process& each : all) first = std::min(first, each.next_time());
    if (first >= of.end) break;
    const double until = std::min(first + of.lookahead, of.end);
    for (process& each : all) {
      while (each.next_time() < until) {
        const event made = each.happen(of);
        all[static_cast<std::size_t>(made.at)].take(made);
      }
    }
  }
  for (const process& each : all) {
    done.events += each.happened();
    done.mark += each.mark();
  }
  return done;
}

}  // namespace phold
