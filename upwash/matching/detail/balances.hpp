// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The balance between a rank and each of its peers: the room that each has left for unexpected
// messages of the other.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "upwash/matching/detail/entries.hpp"
#include "upwash/matching/store.hpp"

namespace upwash::matching::detail {

struct balance {
  std::uint64_t outstanding = 0;  ///< bytes sent and not yet known to be received
  std::uint64_t received = 0;     ///< bytes received and not yet reported
  std::uint64_t offered = 0;      ///< envelopes sent and not yet known to be received
  std::unique_ptr<store> listed;  ///< sends for which the peer had no room; null: none
  sending* queued = nullptr;      ///< the first and the last that wait for credit
  sending* last_queued = nullptr;
};

/// All balances. Memory: one for each peer with any message in either direction.
class balances {
 public:
  [[nodiscard]] balance& with(int rank) {
    if (rank != last_peer_) [[unlikely]]
      look_up(rank);
    return *last_;
  }

 private:
  [[gnu::noinline]] void look_up(int rank) {
    last_ = &peers_[rank];
    last_peer_ = rank;
  }

  std::unordered_map<int, balance> peers_;
  int last_peer_ = -1;
  balance* last_ = nullptr;
};

}  // namespace upwash::matching::detail
