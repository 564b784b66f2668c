// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers that the members on one node share: two for each other node, so that one can fill while
// the other is sent. Fewer and fuller messages cross the network. On the other node, records for
// other members take a hop within the node. Source: Narayanan 2020, future work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"
#include "upwash/streaming/detail/departure.hpp"

namespace upwash::streaming {

/// The shared buffers of a node.
///
/// One word counts the reserved bytes, another the written bytes. The member that reserves beyond
/// the end closes the buffer, and sends it once all earlier members have written. No member ever
/// waits: while both buffers are closed, a record takes a private buffer, because each item's way
/// is its sender's own choice.
///
/// Memory of a member: 2 buffers for each of (other nodes / members on its node), and 4 bytes a
/// member of the team.
class node_buffers {
 public:
  /// Called for one closed buffer: its receiving member, its items, its bytes.
  struct closed {
    int receiver = -1;
    std::uint32_t items = 0;
    std::span<const std::byte> bytes;
    cause why = cause::full;
  };
  using sender = function_ref<void(const closed&)>;

  /// Makes the buffers. Collective over the team, blocking. Returns null, and logs this at level
  /// info, if they are of no use: on one node, with one member on a node, or if members do not
  /// reach each other's memory.
  [[nodiscard]] static std::unique_ptr<node_buffers> make(const team& among,
                                                          std::size_t record_bytes,
                                                          std::size_t buffer_bytes);
  /// Frees the memory, when all is sent. Collective over the members of the node, blocking.
  void free();

  /// Returns the member that receives records for another member's node; -1: it is this node.
  [[nodiscard]] int receiver_for(int member) const noexcept;
  /// Puts a record into a shared buffer. Returns false if this is not possible now, or if the
  /// record is too long.
  [[nodiscard]] bool put(int destination, std::span<const std::byte> record);

  /// Closes the buffers with records of this member.
  void close_used(cause why);
  /// Sends the buffers that this member closed and to which all have written. Returns their number.
  int send_closed(const sender& send);
  /// Returns whether this member put records into a buffer that it has not closed since.
  [[nodiscard]] bool used() const noexcept { return used_ != 0; }
  [[nodiscard]] bool sending() const noexcept { return !closing_.empty(); }

 private:
  /// Precedes each buffer.
  struct alignas(64) head {
    std::atomic<std::uint64_t> reserved;             ///< bytes; beyond the end: closed
    alignas(64) std::atomic<std::uint64_t> written;  ///< bytes, and items in the upper half
  };
  struct shared_buffer {
    head* at = nullptr;
    int receiver = -1;  ///< on the buffer's target node
    bool used = false;  ///< by this member, since it last closed the buffer
  };
  struct closing {
    std::size_t buffer = 0;
    std::uint64_t bytes = 0;
    cause why = cause::full;
  };

  node_buffers() = default;
  void find_nodes(const team& among);
  void map_buffers(std::size_t buffer_bytes);
  [[nodiscard]] bool put_into(std::size_t buffer, int destination,
                              std::span<const std::byte> record, std::uint64_t bytes);
  static std::byte* data_of(head* of) noexcept { return reinterpret_cast<std::byte*>(of + 1); }

  team node_;
  region memory_;
  std::size_t record_bytes_ = 0;
  std::uint64_t capacity_ = 0;
  std::vector<std::int32_t> first_for_;  ///< by member: its first buffer in `all_`; -1: this node
  std::vector<shared_buffer> all_;
  std::vector<closing> closing_;
  int used_ = 0;
};

}  // namespace upwash::streaming
