// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the conduit can do between the members of a team. An endpoint answers for classes of peers;
// a team knows which classes its pairs belong to. For layers: programs need not know.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/conduit/endpoint.hpp"

namespace upwash {

class team;

/// Of how many pairs something holds.
enum class pairs : std::uint8_t { none, some, all };

/// The classes of peers that occur in a set of ranks. Each rank is a peer of itself, so the class
/// `process` always does.
class reach {
 public:
  reach() = default;
  /// Of all classes that the conduit describes, whether or not there are such peers.
  [[nodiscard]] static reach anywhere(const conduit::capabilities& can) noexcept {
    return {can, true, true};
  }
  reach(const conduit::capabilities& can, bool has_node, bool has_remote) noexcept;

  [[nodiscard]] bool known() const noexcept { return can_ != nullptr; }
  /// `what`: a member that is a flag, as &conduit::peer_capabilities::private_reads.
  [[nodiscard]] pairs holds(bool conduit::peer_capabilities::*what) const noexcept;
  /// Whether all load and store each other's segments.
  [[nodiscard]] bool all_direct() const noexcept { return all_direct_; }
  /// Whether those of one node do.
  [[nodiscard]] bool nodes_direct() const noexcept { return nodes_direct_; }
  /// Largest payload of a message between any two.
  [[nodiscard]] std::size_t medium_bytes() const noexcept { return medium_bytes_; }
  /// What the conduit carries out between any two.
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

/// The same at all members. Computed once a team, when it is asked for first: O(size) time with the
/// members' placements, O(1) where the conduit serves all classes alike. Memory: O(1) a team and
/// O(nodes) while it is computed. No messages.
[[nodiscard]] const reach& reach_of(const team& among);

/// Whether all members load and store each other's segments.
[[nodiscard]] bool all_direct(const team& among);
/// Whether those of one node do, whatever nodes the members are on. The same at all members.
[[nodiscard]] bool nodes_direct(const team& among);

}  // namespace upwash
