// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The options of a stream, and the statistics of a member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "upwash/base/duration.hpp"

namespace upwash {

/// The options. The same at all members of the team.
struct stream_options {
  /// Dimensions of the virtual grid through which items travel (model/grid). With more dimensions a
  /// member keeps fewer buffers, and an item is combined and sent again at each hop. 0: chosen by
  /// the team's size and `memory`.
  int dimensions = 0;
  /// Bytes of a buffer, more than 0; limited to the size of one message. Automatic: 16 KiB.
  static constexpr std::size_t automatic = static_cast<std::size_t>(-1);
  std::size_t buffer_bytes = automatic;
  /// A buffer is sent when this share of it is used: 0 < threshold.
  double threshold = 0.9;
  /// Items above this share of a buffer are not combined: they travel at once. Items of one size up
  /// to 512 bytes are always combined. threshold + cutoff is at most 1 (Narayanan 2020, section 3).
  /// An item that exceeds one message of the conduit travels in pieces. If a handler pushes such an
  /// item, the item stays with its sender until the receiver fetches it.
  double cutoff = 0.1;
  /// A buffer is sent, when the member makes progress, if its first item is older than this. Zero:
  /// never.
  duration timeout{};
  /// The price of lateness, in ns of a sender's time for each ns by which an item arrives earlier
  /// (Narayanan 2020: kappa). Above 0 the stream sets the sizes and timeouts of its buffers to
  /// minimise the sum of both costs. With 0 lateness counts only at the end of a phase, when all
  /// members wait for the last buffers. `measured` takes the price from the run: all the time that
  /// members wait in a phase is attributed to late items.
  static constexpr double measured = -1;
  double latency_cost = 0;
  /// Limit, in bytes, for a member's buffers if their size is not given.
  std::size_t memory = std::size_t{8} << 20U;
  /// Distinguishes streams of one shape when a stream learns for later ones. Must outlive the
  /// stream.
  std::string_view label{};
  /// Buffers are sent when a member waits and no message arrives.
  bool flush_when_idle = true;
  /// Members on one node share the buffers for other nodes: fewer buffers, and fuller messages. A
  /// record goes to one member of the other node, and then on within that node. Ignored, with a log
  /// line at level info, if members do not reach each other's memory or nodes make no difference.
  /// With this option, opening and closing the stream block. Not for ordered streams.
  bool shared_buffers = false;
  /// Items of a pair of members arrive in the order in which they were pushed. Large items then
  /// travel in pieces, which their receiver keeps until the last piece has arrived.
  bool ordered = false;
};

/// The statistics of one member. Messages are counted by cause. Items for the member itself are in
/// no message.
struct stream_statistics {
  std::uint64_t pushed = 0;     ///< items
  std::uint64_t delivered = 0;  ///< items handed to the handler
  std::uint64_t forwarded = 0;  ///< items that arrived for other members
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;      ///< of messages
  std::uint64_t full = 0;       ///< sent because an item did not fit
  std::uint64_t threshold = 0;  ///< sent at the threshold
  std::uint64_t timed_out = 0;
  std::uint64_t idle = 0;
  std::uint64_t asked = 0;        ///< sent by flush and finish
  std::uint64_t uncombined = 0;   ///< items that travelled alone
  std::uint64_t urgent = 0;       ///< urgent items that travelled alone
  std::uint64_t fetched = 0;      ///< items too long for a message: the receiver reads them
  std::uint64_t shared = 0;       ///< items in buffers of the node
  std::size_t buffer_memory = 0;  ///< bytes, maximum so far
};

/// Returns the largest number of bytes that a member needs for buffers and tables. There is a
/// buffer for each next hop and kind of content (on a grid of d dimensions near a cube, below 2 d
/// P^(1/d) buffers). Tables take 4 bytes for each member. Large items and items under way to the
/// member itself are not included. O(dimensions).
[[nodiscard]] std::size_t stream_memory(int members, int dimensions, std::size_t buffer_bytes);

}  // namespace upwash
