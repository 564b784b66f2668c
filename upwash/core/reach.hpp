// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conduit's capabilities between the members of a team, for layers. An endpoint describes
// classes of peers; a team knows the classes of its pairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/conduit/endpoint.hpp"

namespace upwash {

class team;

/// The share of pairs that have a property.
enum class pairs : std::uint8_t { none, some, all };

/// The classes of peers in a set of ranks. Each rank is a peer of itself, so the class `process`
/// always occurs.
class reach {
 public:
  reach() = default;
  /// Returns all classes that the conduit describes, whether or not such peers exist.
  [[nodiscard]] static reach anywhere(const conduit::capabilities& can) noexcept {
    return {can, true, true};
  }
  reach(const conduit::capabilities& can, bool has_node, bool has_remote) noexcept;

  [[nodiscard]] bool known() const noexcept { return can_ != nullptr; }
  /// Returns how many pairs have the capability `what`, a pointer to a flag, for example
  /// &conduit::peer_capabilities::private_reads.
  [[nodiscard]] pairs holds(bool conduit::peer_capabilities::*what) const noexcept;
  /// Returns whether all members load and store each other's segments.
  [[nodiscard]] bool all_direct() const noexcept { return all_direct_; }
  /// Returns whether the members of each node load and store each other's segments.
  [[nodiscard]] bool nodes_direct() const noexcept { return nodes_direct_; }
  /// Returns the largest payload, in bytes, of a message between any two members.
  [[nodiscard]] std::size_t medium_bytes() const noexcept { return medium_bytes_; }
  /// Returns the atomics that the conduit executes between any two members.
  [[nodiscard]] const conduit::atomic_set& atomics() const noexcept { return atomics_; }

 private:
  [[nodiscard]] bool occurs(std::size_t which) const noexcept {
    return which == 0 || (which == 1 ? has_node_ : has_remote_);
  }

  const conduit::capabilities* can_ = nullptr;
  conduit::atomic_set atomics_;
  std::size_t medium_bytes_ = 0;
  bool has_node_ = false;
  bool has_remote_ = false;
  bool all_direct_ = false;
  bool nodes_direct_ = false;
};

/// Returns the reach of a team. The same at all members. Computed once a team, at the first call:
/// O(size) time with the members' placements, O(1) if the conduit serves all classes alike. Memory:
/// O(1) a team, and O(nodes) during the computation. No messages.
[[nodiscard]] const reach& reach_of(const team& among);

/// Returns whether all members load and store each other's segments.
[[nodiscard]] bool all_direct(const team& among);
/// Returns whether the members of each node load and store each other's segments, for any number of
/// nodes. The same at all members.
[[nodiscard]] bool nodes_direct(const team& among);

}  // namespace upwash
