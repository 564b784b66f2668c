// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conduit's capabilities for each peer of a rank.
#pragma once

#include <cstddef>

#include "upwash/conduit/endpoint.hpp"
#include "upwash/core/reach.hpp"

namespace upwash::detail {

/// The capabilities. Memory: O(1). Not used on the path of small messages and direct accesses,
/// which keep their own copies.
class peer_facts {
 public:
  peer_facts(const conduit::endpoint& endpoint, int rank)
      : endpoint_(endpoint),
        can_(endpoint.describe()),
        anywhere_(reach::anywhere(can_)),
        mine_(endpoint.place(rank)),
        uniform_(can_.uniform()),
        private_reads_(anywhere_.holds(&conduit::peer_capabilities::private_reads)) {}

  /// Returns the capabilities for a world rank. A virtual call if the conduit serves classes
  /// differently.
  [[nodiscard]] const conduit::peer_capabilities& of(int rank) const noexcept {
    if (uniform_) [[likely]]
      return can_.peers[0];
    return can_.of(conduit::nearness_of(mine_, endpoint_.place(rank)));
  }
  /// Returns the capabilities that hold for all peers.
  [[nodiscard]] const reach& anywhere() const noexcept { return anywhere_; }
  /// Returns how many of the peers read registered memory themselves; the others request it.
  [[nodiscard]] pairs private_reads() const noexcept { return private_reads_; }
  [[nodiscard]] bool ordered() const noexcept { return can_.ordered; }

 private:
  const conduit::endpoint& endpoint_;
  const conduit::capabilities& can_;
  const reach anywhere_;
  const conduit::location mine_;
  const bool uniform_;
  const pairs private_reads_;
};

}  // namespace upwash::detail
