// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the inbound segment of a process is laid out. One for each process, mapped by its peers.
// Growth in bytes, P processes: P x (lines + payload) x 3 lanes each, of more than 32 processes as
// it is used (mesh.cpp); about 80 MiB in all at P = 64.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/conduit/rank_layout.hpp"
#include "upwash/conduit/shm/detail/memfd.hpp"
#include "upwash/conduit/shm/detail/sender_ring.hpp"

namespace upwash::conduit::shm_detail {

///   header pages: the socket of each process, u16 (filled by process 0, in its segment)
///                 from the next line on: arrivals, u16 for each sender, written by it after each
///                 message when there are many processes; a poll then looks at these alone
///                 the bell of the thread beside the rank, in a line of its own
///   one group for each sender, page-aligned:
///     line 0      throttle flag u32, written by the receiver
///     line 1..3   lines given back u32, one line for each lane, written by the receiver
///     3 x rings of lines
///     3 x payload rings
struct layout {
  std::uint32_t processes = 1;
  std::uint32_t line_count = 64;
  std::uint32_t payload_bytes = 65536;
  std::size_t header_bytes = 0;
  std::size_t group_bytes = 0;

  /// For these processes, as the knobs say. Throws `error` (configuration).
  static layout choose(const rank_layout& ranks, const settings& values);

  /// Of the arrivals in a segment.
  [[nodiscard]] std::size_t arrivals_offset() const {
    return round_up(processes * sizeof(std::uint16_t), line_bytes);
  }
  [[nodiscard]] std::size_t bell_offset() const { return 2 * arrivals_offset(); }
  [[nodiscard]] std::size_t total() const { return header_bytes + processes * group_bytes; }
  [[nodiscard]] std::size_t group_offset(int sender) const {
    return header_bytes + static_cast<std::size_t>(sender) * group_bytes;
  }
  /// Largest payload of a message. What the receiver has read and not given back, what is lost
  /// at the ring's end and one more message then fit into the ring together: a message waits for
  /// others to be read, never for credit that nobody owes yet.
  [[nodiscard]] std::size_t medium_bytes() const { return payload_bytes / 4; }
  [[nodiscard]] ring_place ring(std::byte* group, lane kind) const;
};

/// The flag in a group.
[[nodiscard]] inline std::atomic<std::uint32_t>& throttle_flag(std::byte* group) {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(group);
}

}  // namespace upwash::conduit::shm_detail
