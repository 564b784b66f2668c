// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Decides when combining small items pays, the size of the buffers, and the dimensions of the grid.
// Pure functions: times in ns, sizes in bytes, rates in items a ns. Source: Narayanan 2020,
// sections 1.2 and chapter 4; Kumar 2005, chapter 5 for grids.
#pragma once

#include <span>

#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::model {

/// The cost of a message for its sender: alpha + beta n.
struct message_prices {
  double alpha = 0;  ///< ns a message
  double beta = 0;   ///< ns a byte
};

/// The items that a member sends (Narayanan 2020, table 4.1).
struct item_load {
  double rate = 0;   ///< Q: items a ns
  double bytes = 0;  ///< S: bytes of an item
};

/// c(t): the cost of an item that is `ns` late, in ns of the sender's time.
using delay_cost = function_ref<double(double ns)>;
/// Equation 4.10: c(t) = kappa t. `kappa` has no unit.
[[nodiscard]] constexpr double linear_delay(double kappa, double ns) { return kappa * ns; }

/// Equation 1.1: cost of one message.
[[nodiscard]] constexpr double cost_of(const message_prices& at, double bytes) {
  return at.alpha + at.beta * bytes;
}
/// Equation 1.2: cost of messages of these sizes. O(messages).
[[nodiscard]] double cost_of_all(const message_prices& at, std::span<const double> bytes);

/// Equation 4.1: cost of the items of `period` ns, each sent as a message.
[[nodiscard]] double uncombined_cost(const message_prices& at, const item_load& of, double period);
/// Equation 4.2: cost of these items as one message at the end of the period, if items are half a
/// period late.
[[nodiscard]] double combined_cost(const message_prices& at, const item_load& of, double period,
                                   delay_cost late);
/// Equation 4.3: uncombined less combined cost.
[[nodiscard]] double saved_by_timeout(const message_prices& at, const item_load& of, double period,
                                      delay_cost late);
/// Equation 4.4: whether the saving is positive.
[[nodiscard]] bool timeout_pays(const message_prices& at, const item_load& of, double period,
                                delay_cost late);
/// Equation 4.5: the smallest buffer, in bytes, that is not full before the period ends.
[[nodiscard]] double least_buffer(const item_load& of, double period, double threshold);

/// Equation 4.6: the time to fill a buffer. The effective bytes b f_t are the fill at which a
/// buffer is sent.
[[nodiscard]] double fill_time(const item_load& of, double effective_bytes);
/// Equation 4.7: the time saved in `period` ns by buffers that are sent when full.
[[nodiscard]] double saved_by_buffer(const message_prices& at, const item_load& of, double period,
                                     double effective_bytes, delay_cost late);
/// Equation 4.8: whether this saving is positive.
[[nodiscard]] bool buffer_pays(const message_prices& at, const item_load& of,
                               double effective_bytes, delay_cost late);
/// Equation 4.9: the cost of a message, in ns, above which buffers pay. Infinite if a buffer holds
/// one item.
[[nodiscard]] double least_alpha(const item_load& of, double effective_bytes, delay_cost late);
/// Equation 4.11: the same limit if delays cost kappa.
[[nodiscard]] double least_alpha(const item_load& of, double effective_bytes, double kappa);

/// The effective bytes between which buffers pay if delays cost kappa; `most` 0: never.
struct effective_range {
  double least = 0;
  double most = 0;
};
/// Equation 4.12, solved for b f_t.
[[nodiscard]] effective_range paying_bytes(const message_prices& at, const item_load& of,
                                           double kappa);
/// Equation 4.13: the bytes above which buffers do not pay.
[[nodiscard]] double bound_of_bytes(const message_prices& at, const item_load& of, double kappa);
/// Returns the effective bytes that save most: S sqrt(2 alpha Q / kappa).
[[nodiscard]] double best_bytes(const message_prices& at, const item_load& of, double kappa);

/// The load of a stream between two times at which all buffers are empty, at each member.
struct stream_phase {
  int ranks = 1;
  double items = 0;         ///< pushed by a member
  double item_bytes = 0;    ///< with its length, if sizes differ
  double destinations = 1;  ///< number of different destinations
};

struct stream_prices {
  message_prices port;       ///< in a burst both ways: the delay of the next message
  message_prices processor;  ///< the overheads of both ends
  double latency = 0;        ///< ns from the start of an empty message to its handler
  double item = 0;           ///< ns to copy an item into a buffer or deliver it, without its bytes
  double copy = 0;           ///< ns a byte copied
  double routing_bytes = 4;  ///< of a forwarded item
};

/// Returns the prices of messages between the first and the last of `ranks` ranks on a machine.
/// Copies and pushes without a cost in the machine cost nothing. Throws `error` (configuration) for
/// a machine without message costs.
[[nodiscard]] stream_prices stream_prices_of(const machine& on, int ranks);

/// Returns the number of buffers that a member uses in the phase: at most one for each other member
/// on its lines of the grid, and at most the number that items and destinations need.
[[nodiscard]] double buffers_used(const stream_phase& of, int dimensions);

/// Returns the mean number of hops of an item over all destinations.
[[nodiscard]] double hops_of(int ranks, int dimensions);

/// Returns the number of times that a buffer is filled in the phase. A value below one is the fill
/// of the buffers at its end.
[[nodiscard]] double fills_of(const stream_prices& at, const stream_phase& of, int dimensions,
                              double effective_bytes);

/// Returns the time of the phase at a member, in ns. Each hop copies an item into a buffer. The
/// number of messages is the larger of full buffers and used buffers. Processor and port work in
/// parallel once the buffers have been filled for the first time. At the end the last buffers
/// travel; at each stop the end is detected half a wave of counts later (log2 P messages). If all
/// members send equally, a member forwards as much as it pushes.
[[nodiscard]] double phase_cost(const stream_prices& at, const stream_phase& of, int dimensions,
                                double effective_bytes);

}  // namespace upwash::model
