// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// When it pays to combine small items, in how large buffers, over a grid of how many dimensions.
// Pure functions: times in ns, sizes in bytes, rates in items a ns. Source: Narayanan 2020,
// sections 1.2 and chapter 4; Kumar 2005, chapter 5 for grids.
#pragma once

#include <span>

#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::model {

/// What a message costs its sender: alpha + beta n.
struct message_prices {
  double alpha = 0;  ///< ns a message
  double beta = 0;   ///< ns a byte
};

/// What a member sends (Narayanan 2020, table 4.1).
struct item_load {
  double rate = 0;   ///< Q: items a ns
  double bytes = 0;  ///< S: of an item
};

/// c(t): the cost of an item that is `ns` late, in ns of the sender's time.
using delay_cost = function_ref<double(double ns)>;
/// Equation 4.10: c(t) = kappa t. `kappa` has no unit.
[[nodiscard]] constexpr double linear_delay(double kappa, double ns) { return kappa * ns; }

/// Equation 1.1.
[[nodiscard]] constexpr double cost_of(const message_prices& at, double bytes) {
  return at.alpha + at.beta * bytes;
}
/// Equation 1.2: of messages of these sizes. O(messages).
[[nodiscard]] double cost_of_all(const message_prices& at, std::span<const double> bytes);

/// Equation 4.1: of what comes in `period` ns, each item a message.
[[nodiscard]] double uncombined_cost(const message_prices& at, const item_load& of, double period);
/// Equation 4.2: as one message at the end of the period, when items are half a period late.
[[nodiscard]] double combined_cost(const message_prices& at, const item_load& of, double period,
                                   delay_cost late);
/// Equation 4.3: the first less the second.
[[nodiscard]] double saved_by_timeout(const message_prices& at, const item_load& of, double period,
                                      delay_cost late);
/// Equation 4.4: whether that is more than nothing.
[[nodiscard]] bool timeout_pays(const message_prices& at, const item_load& of, double period,
                                delay_cost late);
/// Equation 4.5: the least buffer, in bytes, that is not full before the period ends.
[[nodiscard]] double least_buffer(const item_load& of, double period, double threshold);

/// Effective bytes are b f_t: a buffer with so many is sent. Equation 4.6: how long it fills.
[[nodiscard]] double fill_time(const item_load& of, double effective_bytes);
/// Equation 4.7: saved in `period` ns by buffers that are sent when they are full.
[[nodiscard]] double saved_by_buffer(const message_prices& at, const item_load& of, double period,
                                     double effective_bytes, delay_cost late);
/// Equation 4.8.
[[nodiscard]] bool buffer_pays(const message_prices& at, const item_load& of,
                               double effective_bytes, delay_cost late);
/// Equation 4.9: messages must cost more than this, in ns, for buffers to pay. Infinite where a
/// buffer holds one item.
[[nodiscard]] double least_alpha(const item_load& of, double effective_bytes, delay_cost late);
/// Equation 4.11: the same where delays cost kappa.
[[nodiscard]] double least_alpha(const item_load& of, double effective_bytes, double kappa);

/// Effective bytes between which buffers pay where delays cost kappa; `most` 0: none do.
struct effective_range {
  double least = 0;
  double most = 0;
};
/// Equation 4.12, solved for b f_t.
[[nodiscard]] effective_range paying_bytes(const message_prices& at, const item_load& of,
                                           double kappa);
/// Equation 4.13: above these bytes buffers do not pay.
[[nodiscard]] double bound_of_bytes(const message_prices& at, const item_load& of, double kappa);
/// The effective bytes that save most: S sqrt(2 alpha Q / kappa).
[[nodiscard]] double best_bytes(const message_prices& at, const item_load& of, double kappa);

/// What a stream does between two moments at which all buffers are empty, at each member.
struct stream_phase {
  int ranks = 1;
  double items = 0;         ///< that a member pushes
  double item_bytes = 0;    ///< with its length, where sizes differ
  double destinations = 1;  ///< different ones
};

struct stream_prices {
  message_prices port;       ///< of a burst both ways: what holds up the next message
  message_prices processor;  ///< the overheads of both ends
  double latency = 0;        ///< ns from the start of an empty message to its handler
  double item = 0;           ///< ns to copy an item into a buffer or hand it over, but for bytes
  double copy = 0;           ///< ns a byte copied
  double routing_bytes = 4;  ///< of an item that goes on
};

/// Of messages between the first of so many ranks on a machine and the last; copies and pushes that
/// the machine says nothing of cost nothing. Throws `error` (configuration) for one without costs.
[[nodiscard]] stream_prices stream_prices_of(const machine& on, int ranks);

/// Buffers that a member uses in the phase: at most one for each other member on its lines of the
/// grid, and no more than different items or destinations ask for.
[[nodiscard]] double buffers_used(const stream_phase& of, int dimensions);

/// Hops of an item, on average over destinations.
[[nodiscard]] double hops_of(int ranks, int dimensions);

/// How often a buffer is filled in the phase; below one: what all buffers hold at its end.
[[nodiscard]] double fills_of(const stream_prices& at, const stream_phase& of, int dimensions,
                              double effective_bytes);

/// What the phase takes a member, in ns. Each hop copies an item into a buffer; messages are as
/// many as full buffers or as buffers used, whatever is more. Processor and port work side by side
/// once the buffers have been filled for the first time. At the end the last buffers go their way,
/// and for each stop on it the end is found out half a wave of counts later (log2 P messages).
/// Where all send alike a member forwards as much as it pushes.
[[nodiscard]] double phase_cost(const stream_prices& at, const stream_phase& of, int dimensions,
                                double effective_bytes);

}  // namespace upwash::model
