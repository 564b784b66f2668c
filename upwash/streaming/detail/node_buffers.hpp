// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers that the members on one node share: two for each other node, so that one can fill while
// the other is sent. Fewer and fuller messages cross the network; where they arrive, records for
// other members of that node take a hop within it. Source: Narayanan 2020, future work.
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

/// A word counts the bytes reserved, another those written. Who reserves beyond the end closes the
/// buffer, and sends it once all before have written. Nobody ever waits: while both are closed, a
/// record takes a private one, since each item's way is its sender's own choice.
///
/// Memory of a member: 2 buffers for each of (other nodes / members on its node), and 4 bytes a
/// member of the team.
class node_buffers {
 public:
  /// For one closed buffer: the member it goes to, its items, its bytes.
  struct closed {
    int receiver = -1;
    std::uint32_t items = 0;
    std::span<const std::byte> bytes;
    cause why = cause::full;
  };
  using sender = function_ref<void(const closed&)>;

  /// Collective over the team, blocking. Null, said at level info, where it makes no sense: on one
  /// node, with one member on a node, or where they do not reach each other's memory.
  [[nodiscard]] static std::unique_ptr<node_buffers> make(const team& among,
                                                          std::size_t record_bytes,
                                                          std::size_t buffer_bytes);
  /// Collective over the members of the node, blocking, when all is sent.
  void free();

  /// The member that takes what goes to another member's node; -1: that is this node.
  [[nodiscard]] int receiver_for(int member) const noexcept;
  /// False: not now, or it is too long.
  [[nodiscard]] bool put(int destination, std::span<const std::byte> record);

  /// Closes those with records of this member in them.
  void close_used(cause why);
  /// Sends those that this member closed and all have written to. How many.
  int send_closed(const sender& send);
  /// Whether this member put something into one that it has not closed since.
  [[nodiscard]] bool used() const noexcept { return used_ != 0; }
  [[nodiscard]] bool sending() const noexcept { return !closing_.empty(); }

 private:
  /// In front of each buffer.
  struct alignas(64) head {
    std::atomic<std::uint64_t> reserved;             ///< bytes; beyond the end: closed
    alignas(64) std::atomic<std::uint64_t> written;  ///< bytes, and items in the upper half
  };
  struct shared_buffer {
    head* at = nullptr;
    int receiver = -1;  ///< on the node that it is for
    bool used = false;  ///< by this member, since it closed it
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
  std::vector<std::int32_t> first_for_;  ///< by member: of the two in `all_`; -1: this node
  std::vector<shared_buffer> all_;
  std::vector<closing> closing_;
  int used_ = 0;
};

}  // namespace upwash::streaming
