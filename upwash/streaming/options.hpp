// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a stream combines items, and what it did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "upwash/base/duration.hpp"

namespace upwash {

/// The same at all members of the team.
struct stream_options {
  /// Of the virtual grid that items travel through (model/grid): with more, a member keeps fewer
  /// buffers, and an item is combined and sent again at each hop. 0: by the size of the team and
  /// `memory`.
  int dimensions = 0;
  /// Bytes of a buffer, more than 0; at most what travels in one message. Automatic: 16 KiB.
  static constexpr std::size_t automatic = static_cast<std::size_t>(-1);
  std::size_t buffer_bytes = automatic;
  /// A buffer is sent when so much of it is used: 0 < threshold.
  double threshold = 0.9;
  /// Items above this share of a buffer are not combined: they travel at once. Items of one size
  /// up to 512 bytes always are. threshold + cutoff is at most 1 (Narayanan 2020, section 3). What
  /// does not fit in one message of the conduit goes in pieces; what a handler pushes of such items
  /// stays with its sender until the receiver fetches it.
  double cutoff = 0.1;
  /// A buffer whose first item is older is sent when the member makes progress; zero: never.
  duration timeout{};
  /// The price of lateness: so many ns of a sender's time are worth one ns by which an item arrives
  /// earlier (Narayanan 2020: kappa). Above 0 the stream sets sizes and timeouts of its buffers so
  /// that both costs together are least. With 0 lateness counts only at the end of a phase, where
  /// all wait for the last buffers. `measured` takes the price from the run: all the time that
  /// members wait in a phase is put down to late items.
  static constexpr double measured = -1;
  double latency_cost = 0;
  /// Bytes that a member's buffers should take at most where their size is not given.
  std::size_t memory = std::size_t{8} << 20U;
  /// Tells streams of one shape apart, in what is learned for later ones. Outlives the stream.
  std::string_view label{};
  /// Buffers are sent when a member waits and nothing comes.
  bool flush_when_idle = true;
  /// Members on one node share the buffers for other nodes: fewer of them, and fuller messages; a
  /// record goes to one member there, and on within the node. Where they do not reach each other's
  /// memory, or nodes make no difference, it is ignored, and said at level info. Opening and
  /// closing the stream block then. Not where order counts.
  bool shared_buffers = false;
  /// Items of a pair of members arrive in the order in which they were pushed. Large ones go in
  /// pieces then, which their receiver keeps until the last has come.
  bool ordered = false;
};

/// Of one member. Messages, by what caused them; items for the member itself are in none.
struct stream_statistics {
  std::uint64_t pushed = 0;     ///< items
  std::uint64_t delivered = 0;  ///< items handed to the handler
  std::uint64_t forwarded = 0;  ///< items that came for others
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;      ///< of messages
  std::uint64_t full = 0;       ///< an item did not fit
  std::uint64_t threshold = 0;  ///< as full as the threshold says
  std::uint64_t timed_out = 0;
  std::uint64_t idle = 0;
  std::uint64_t asked = 0;       ///< by flush and finish
  std::uint64_t uncombined = 0;  ///< items that travelled alone
  std::uint64_t urgent = 0;      ///< items that did because they were urgent
  std::uint64_t fetched = 0;  ///< items too long for a message: a ticket went, the receiver reads
  std::uint64_t shared = 0;   ///< items that went into buffers of the node
  std::size_t buffer_memory = 0;  ///< bytes, at most so far
};

/// Bytes that a member needs at most for buffers and tables: a buffer for each next hop and kind of
/// content (on a grid of d dimensions near a cube, below 2 d P^(1/d) of them), and 4 for each
/// member. Without large items and those under way to the member itself. O(dimensions).
[[nodiscard]] std::size_t stream_memory(int members, int dimensions, std::size_t buffer_bytes);

}  // namespace upwash
