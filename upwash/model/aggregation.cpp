// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "upwash/model/cost.hpp"
#include "upwash/model/grid.hpp"

namespace upwash::model {

double cost_of_all(const message_prices& at, std::span<const double> bytes) {
  double all = 0;
  for (const double each : bytes) all += cost_of(at, each);
  return all;
}

double uncombined_cost(const message_prices& at, const item_load& of, double period) {
  return of.rate * period * cost_of(at, of.bytes);
}

double combined_cost(const message_prices& at, const item_load& of, double period,
                     delay_cost late) {
  const double items = of.rate * period;
  return cost_of(at, items * of.bytes) + items * late(period / 2);
}

double saved_by_timeout(const message_prices& at, const item_load& of, double period,
                        delay_cost late) {
  return of.rate * period * (at.alpha - late(period / 2)) - at.alpha;
}

bool timeout_pays(const message_prices& at, const item_load& of, double period, delay_cost late) {
  const double items = of.rate * period;
  return at.alpha * (items - 1) > items * late(period / 2);
}

double least_buffer(const item_load& of, double period, double threshold) {
  return of.rate * of.bytes * period / threshold;
}

double fill_time(const item_load& of, double effective_bytes) {
  return effective_bytes / (of.rate * of.bytes);
}

double saved_by_buffer(const message_prices& at, const item_load& of, double period,
                       double effective_bytes, delay_cost late) {
  const double each = at.alpha * (1 - of.bytes / effective_bytes);
  return of.rate * period * (each - late(fill_time(of, effective_bytes) / 2));
}

bool buffer_pays(const message_prices& at, const item_load& of, double effective_bytes,
                 delay_cost late) {
  return at.alpha * (1 - of.bytes / effective_bytes) > late(fill_time(of, effective_bytes) / 2);
}

double least_alpha(const item_load& of, double effective_bytes, delay_cost late) {
  if (effective_bytes <= of.bytes) return std::numeric_limits<double>::infinity();
  return effective_bytes * late(fill_time(of, effective_bytes) / 2) / (effective_bytes - of.bytes);
}

double least_alpha(const item_load& of, double effective_bytes, double kappa) {
  return least_alpha(of, effective_bytes, [&](double ns) { return linear_delay(kappa, ns); });
}

double bound_of_bytes(const message_prices& at, const item_load& of, double kappa) {
  return 2 * of.rate * of.bytes * at.alpha / kappa;
}

/// B^2 <= bound (B - S) between the roots of the quadratic.
effective_range paying_bytes(const message_prices& at, const item_load& of, double kappa) {
  const double bound = bound_of_bytes(at, of, kappa);
  const double root = bound * (bound - 4 * of.bytes);
  if (root < 0) return {};
  const double most = (bound + std::sqrt(root)) / 2;
  return {bound * of.bytes / most, most};
}

/// Equations 4.7 and 4.10 save Q tau (alpha (1 - S/B) - kappa B / (2 Q S)); the derivative by B,
/// alpha S / B^2 - kappa / (2 Q S), is zero at B^2 = 2 alpha Q S^2 / kappa.
double best_bytes(const message_prices& at, const item_load& of, double kappa) {
  return of.bytes * std::sqrt(2 * at.alpha * of.rate / kappa);
}

double buffers_used(const stream_phase& of, int dimensions) {
  const double apart = std::min(of.items, of.destinations);
  const grid over = grid::near_cube(of.ranks, dimensions);
  double used = 0;
  for (int d = 0; d < over.dimensions(); ++d) used += std::min<double>(over.size(d) - 1, apart);
  return used;
}

stream_prices stream_prices_of(const machine& on, int ranks) {
  const std::size_t level = on.level_between(0, std::max(ranks - 1, 0));
  constexpr std::uint64_t many = 4096;
  const message_cost empty = cost_of_message(on, level, 0);
  const message_cost full = cost_of_message(on, level, many);
  const auto prices = [](duration none, duration all) {
    return message_prices{none.ns(), (all - none).ns() / static_cast<double>(many)};
  };
  stream_prices found;
  found.port = prices(empty.busy, full.busy);
  if (on.nic.traffic == nic_protocol::budget::shared) {
    found.port.alpha *= 2;
    found.port.beta *= 2;
  }
  found.processor = prices(empty.send_overhead + empty.receive_overhead,
                           full.send_overhead + full.receive_overhead);
  found.latency = message_time(on, level, 0).ns();
  if (on.processor.handler) found.processor.alpha += on.processor.handler->ns();
  if (on.processor.push) found.item = on.processor.push->ns();
  found.copy = on.processor.copy_ns_per_byte.value_or(0);
  return found;
}

double hops_of(int ranks, int dimensions) {
  if (dimensions == 1) return 1;
  const grid over = grid::near_cube(ranks, dimensions);
  double hops = 0;
  for (int d = 0; d < over.dimensions(); ++d) hops += 1 - 1.0 / over.size(d);
  return std::max(hops, 1.0);
}

double fills_of(const stream_prices& at, const stream_phase& of, int dimensions,
                double effective_bytes) {
  const double bytes = of.item_bytes + (dimensions == 1 ? 0 : at.routing_bytes);
  const double all = hops_of(of.ranks, dimensions) * of.items * bytes;
  return all / (std::max(buffers_used(of, dimensions), 1.0) * std::max(effective_bytes, bytes));
}

/// At the end of a phase a buffer that was sent before holds something again, as good as always.
constexpr double rest = 0.6;

double phase_cost(const stream_prices& at, const stream_phase& of, int dimensions,
                  double effective_bytes) {
  const double hops = hops_of(of.ranks, dimensions);
  const double bytes = of.item_bytes + (dimensions == 1 ? 0 : at.routing_bytes);
  const double volume = hops * of.items * bytes;
  const double in_full = std::max(std::ceil(effective_bytes / bytes), 1.0);
  const double buffers = std::max(buffers_used(of, dimensions), 1.0);
  const double a_buffer = hops * of.items / (buffers * in_full);
  const double messages = buffers * (a_buffer <= 1 ? 1 : a_buffer + rest);
  const double port = at.port.alpha * messages + at.port.beta * volume;
  const double overheads = at.processor.alpha * messages + at.processor.beta * volume;
  const double filling = hops * of.items * (at.item + at.copy * bytes);
  const double handing_over = of.items * at.item;
  const double apart = std::max(fills_of(at, of, dimensions, effective_bytes), 1.0);
  const double last = std::min(volume / std::max(messages, 1.0), in_full * bytes);
  const double stops = (dimensions - 1) * std::ceil(std::log2(std::max(of.ranks, 2)));
  return std::max(port + filling / apart, overheads + filling) + handing_over +
         dimensions * (at.port.beta + at.processor.beta) * last + (1 + stops) * at.latency;
}

}  // namespace upwash::model
