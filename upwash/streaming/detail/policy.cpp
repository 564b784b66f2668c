// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "upwash/model/grid.hpp"

namespace upwash::streaming {
namespace {

constexpr int most_dimensions = 3;
constexpr double least_bytes = 256;  ///< of a buffer that is worth its name
constexpr double growth = 1.4142;    ///< from one size to the next
constexpr double alike =
    1.04;  ///< times the least cost: then the larger buffer, for fewer messages
constexpr double worthwhile = 0.95;  ///< of the cost so far: what costs more is no reason to change
constexpr double sure_gain = 0.5;    ///< the same, where prices are guesses
constexpr double changed = 1.25;     ///< times: traffic that differs by less is the same
constexpr double newest = 0.5;       ///< share of the last phase in the averages
constexpr double late = 2;           ///< times the mean time to fill: a buffer that is left behind

bool differs(double a, double b) { return std::max(a, b) > changed * std::min(a, b); }

bool differs(const traffic& a, const traffic& b, bool rate_counts) {
  return differs(a.items, b.items) || differs(a.item_bytes, b.item_bytes) ||
         differs(a.destinations, b.destinations) || (rate_counts && differs(a.rate, b.rate));
}

/// A moving average; what is quite different counts at once.
void move(double& average, double latest) {
  const bool other = std::max(average, latest) > 2 * std::min(average, latest);
  average = other ? latest : average + newest * (latest - average);
}

model::stream_phase phase_of(int ranks, const traffic& of) {
  return {ranks, of.items, of.item_bytes, of.destinations};
}

}  // namespace

policy::policy(const policy_facts& facts, const policy_wishes& wishes, const parameters& start,
               const std::optional<traffic>& learned)
    : facts_(facts),
      wishes_(wishes),
      start_(start),
      now_(start),
      latency_cost_(wishes.latency_cost) {
  if (wishes_.dimensions != 0) now_.dimensions = wishes_.dimensions;
  if (wishes_.effective_bytes != 0) now_.effective_bytes = wishes_.effective_bytes;
  if (wishes_.cutoff_bytes != 0) now_.cutoff_bytes = wishes_.cutoff_bytes;
  if (wishes_.timeout != duration()) now_.timeout = wishes_.timeout;
  if (!learned || !(learned->items > 0) || !(learned->item_bytes > 0)) return;
  seen_ = *learned;
  seen_.destinations = std::clamp(seen_.destinations, 1.0, std::max(facts_.ranks - 1.0, 1.0));
  choose(seen_);
}

void policy::waited(double idle_ns, const traffic& of) {
  const double late_ns = lateness(now_.dimensions, static_cast<double>(now_.effective_bytes), of);
  if (late_ns > 0) move(latency_cost_, idle_ns / late_ns);
}

bool policy::phase_over(const traffic& of) {
  if (!(of.items > 0)) return false;
  move(seen_.items, of.items);
  move(seen_.item_bytes, of.item_bytes);
  move(seen_.destinations, of.destinations);
  move(seen_.rate, of.rate);
  const bool waiting_counts = latency_cost_ > 0 || chosen_at_cost_ > 0;
  if (!differs(seen_, chosen_for_, waiting_counts) && !differs(latency_cost_, chosen_at_cost_)) {
    return false;
  }
  return choose(seen_);
}

bool policy::so_far(const traffic& of) { return of.items > 2 * chosen_for_.items && choose(of); }

bool policy::fills_a_buffer(double items_a_phase) const noexcept {
  return items_a_phase * seen_.item_bytes >= static_cast<double>(now_.effective_bytes);
}

/// Where delays have a price: that of the items that wait until their buffer is full. Else what
/// everybody waits for at the end of a phase, which phase_cost has: the last buffers on their way.
double policy::cost_of(int dimensions, double bytes, const traffic& expected) const {
  const double work =
      model::phase_cost(facts_.prices, phase_of(facts_.ranks, expected), dimensions, bytes);
  if (!(latency_cost_ > 0)) return work;
  return work + model::linear_delay(latency_cost_, lateness(dimensions, bytes, expected));
}

/// Of all items together: each waits, at each stop, for half the time in which a buffer fills.
double policy::lateness(int dimensions, double bytes, const traffic& expected) const {
  if (!(expected.rate > 0)) return 0;
  const double hops = model::hops_of(facts_.ranks, dimensions);
  const double buffers =
      std::max(model::buffers_used(phase_of(facts_.ranks, expected), dimensions), 1.0);
  const model::item_load load{expected.rate * hops / buffers, expected.item_bytes};
  const double wait = std::min(model::fill_time(load, bytes), expected.items / expected.rate) / 2;
  return hops * expected.items * wait;
}

bool policy::fits(int dimensions, double bytes, const traffic& expected) const {
  const double count = model::buffers_used(phase_of(facts_.ranks, expected), dimensions);
  return facts_.memory == 0 || count * bytes <= static_cast<double>(facts_.memory);
}

policy::candidate policy::best(int dimensions, const traffic& expected) const {
  std::vector<candidate> all;
  const auto consider = [&](double bytes) {
    all.push_back({dimensions, bytes, cost_of(dimensions, bytes, expected)});
  };
  if (wishes_.effective_bytes != 0) {
    consider(static_cast<double>(wishes_.effective_bytes));
    return all.front();
  }
  const auto most = static_cast<double>(facts_.message_bytes);
  if (sizes_stay() && fits(dimensions, most, expected)) {
    consider(most);
    return all.front();
  }
  consider(std::min(std::max(least_bytes, expected.item_bytes), most));
  for (double bytes = all.front().bytes * growth; bytes < most; bytes *= growth) {
    if (fits(dimensions, bytes, expected)) consider(bytes);
  }
  if (fits(dimensions, most, expected)) consider(most);
  const auto less = [](const candidate& a, const candidate& b) { return a.cost < b.cost; };
  const double least = std::min_element(all.begin(), all.end(), less)->cost;
  return *std::find_if(all.rbegin(), all.rend(),
                       [&](const candidate& one) { return one.cost <= alike * least; });
}

bool policy::sizes_stay() const noexcept { return !facts_.sure && !(latency_cost_ > 0); }

bool policy::choose(const traffic& expected) {
  chosen_for_ = expected;
  chosen_at_cost_ = latency_cost_;
  candidate winner;
  std::string others;
  bool fitting = false;
  std::vector<price> prices;
  for (int d = 1; d <= most_dimensions; ++d) {
    const bool wished = wishes_.dimensions == 0 || d == wishes_.dimensions;
    if (!wished || model::grid::near_cube(facts_.ranks, d).dimensions() != d) continue;
    const candidate one = best(d, expected);
    const bool fit = fits(d, one.bytes, expected);
    prices.push_back({d, one.cost});
    others += fmt::format("{}{}-D {:.1f} us{}", others.empty() ? "" : ", ", d, one.cost * 1e-3,
                          fit ? "" : " (beyond the memory)");
    if (winner.bytes == 0 || (fit && !fitting) || (fit == fitting && one.cost < winner.cost)) {
      winner = one;
    }
    fitting = fitting || fit;
  }
  if (winner.bytes == 0) winner = best(wishes_.dimensions, expected);  // more than are tried
  const auto bytes_now = static_cast<double>(now_.effective_bytes);
  const bool holds = fits(now_.dimensions, bytes_now, expected) &&
                     winner.cost > (facts_.sure ? worthwhile : sure_gain) *
                                       cost_of(now_.dimensions, bytes_now, expected);
  if (holds) winner = {now_.dimensions, bytes_now, winner.cost};
  parameters fresh = now_;
  fresh.dimensions = winner.dimensions;
  fresh.effective_bytes = static_cast<std::size_t>(winner.bytes);
  if (wishes_.cutoff_bytes == 0) {
    fresh.cutoff_bytes =
        sizes_stay() ? start_.cutoff_bytes : cutoff_for(winner.dimensions, winner.bytes);
  }
  if (wishes_.timeout == duration()) fresh.timeout = timeout_for(winner, expected);
  const bool news = fresh.dimensions != now_.dimensions ||
                    fresh.effective_bytes != now_.effective_bytes ||
                    fresh.cutoff_bytes != now_.cutoff_bytes || fresh.timeout != now_.timeout;
  if (!news) return false;
  now_ = fresh;
  prices_ = std::move(prices);
  why_ = fmt::format("{:.0f} items of {:.0f} bytes for some {:.0f} destinations a phase: {}",
                     expected.items, expected.item_bytes, expected.destinations, others);
  return true;
}

/// Combining an item saves alpha (1 - S/b), and costs a copy a hop and the bytes of all hops but
/// one. Both are equal at S = alpha / (alpha/b + what a byte costs).
std::size_t policy::cutoff_for(int dimensions, double bytes) const {
  const double hops = model::hops_of(facts_.ranks, dimensions);
  const double alpha = std::max(facts_.prices.port.alpha, facts_.prices.processor.alpha);
  const double beta = std::max(facts_.prices.port.beta, facts_.prices.processor.beta);
  const double a_byte = hops * facts_.prices.copy + std::max(hops - 1, 0.0) * beta;
  if (!(alpha > 0)) return static_cast<std::size_t>(bytes);
  return static_cast<std::size_t>(alpha / (alpha / bytes + a_byte));
}

/// Only where delays have a price: elsewhere idle members and the end of a phase send what is left.
duration policy::timeout_for(const candidate& one, const traffic& expected) const {
  if (!(latency_cost_ > 0) || !(expected.rate > 0)) return {};
  const double hops = model::hops_of(facts_.ranks, one.dimensions);
  const double buffers =
      std::max(model::buffers_used(phase_of(facts_.ranks, expected), one.dimensions), 1.0);
  const model::item_load load{expected.rate * hops / buffers, expected.item_bytes};
  return duration::from_ns(late * model::fill_time(load, one.bytes));
}

}  // namespace upwash::streaming
