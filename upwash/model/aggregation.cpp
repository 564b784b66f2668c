// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  if (dimensions == 1) return apart;
  const double line = std::pow(of.ranks, 1.0 / dimensions) - 1;
  return dimensions * std::min(line, apart);
}

double phase_cost(const stream_prices& at, const stream_phase& of, int dimensions,
                  double effective_bytes) {
  // Of the coordinates of an item's way so many differ from its source's.
  const double hops =
      dimensions == 1 ? 1 : dimensions * (1 - std::pow(of.ranks, -1.0 / dimensions));
  const double bytes = of.item_bytes + (dimensions == 1 ? 0 : at.routing_bytes);
  const double full = hops * of.items / std::max(std::floor(effective_bytes / bytes), 1.0);
  const double messages = std::max(full, buffers_used(of, dimensions));
  const double copies = (hops + 1) * of.items * (at.item + at.copy * bytes);
  return copies + at.message.alpha * messages + at.message.beta * bytes * hops * of.items +
         at.latency * dimensions;
}

}  // namespace upwash::model
