// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank keeps for each peer and lane that it has sent to, made on first use. Never walked,
// so its order decides nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"

namespace upwash::conduit::sim {

class scheduler;
struct flight;

struct peer_state {
  scheduler* ranks = nullptr;  ///< of a pair that has used a credit
  int source = 0;
  duration last_head;            ///< E1: a later message never arrives before this
  std::uint32_t used = 0;        ///< credits taken
  std::uint32_t taken = 0;       ///< messages taken by the receiver, credits not sent back yet
  std::uint32_t operations = 0;  ///< puts, gets, atomics, long messages under way
  duration last_complete;        ///< nor is it there before this
  std::uint32_t launched = 0;    ///< messages sent off
  std::uint32_t landed = 0;      ///< the number of the one that may come next
  flight* parked = nullptr;      ///< those that came before it
  bool starved = false;          ///< the sender was refused for lack of credit
  bool reserved = false;         ///< a payload is prepared and not committed
};

/// Open addressing; addresses of states are stable. Memory: 32 to 64 bytes each beside them.
class peer_table {
 public:
  /// `lane` is below 4.
  peer_state& of(int peer, unsigned lane) {
    const std::uint64_t key =
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) * 4 + lane + 1;
    if (key == last_key_) return *last_;
    if (2 * (count_ + 1) > keys_.size()) grow();
    std::size_t slot = place(key);
    if (keys_[slot] == 0) {
      keys_[slot] = key;
      values_[slot] = std::make_unique<peer_state>();
      ++count_;
    }
    last_key_ = key;
    last_ = values_[slot].get();
    return *last_;
  }

 private:
  [[nodiscard]] std::size_t place(std::uint64_t key) const noexcept {
    std::size_t slot = (key * 0x9e3779b97f4a7c15U >> 32U) & (keys_.size() - 1);
    while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & (keys_.size() - 1);
    return slot;
  }
  void grow() {
    std::vector<std::uint64_t> old_keys(keys_.empty() ? 8 : 2 * keys_.size(), 0);
    std::vector<std::unique_ptr<peer_state>> old_values(old_keys.size());
    keys_.swap(old_keys);
    values_.swap(old_values);
    for (std::size_t i = 0; i < old_keys.size(); ++i) {
      if (old_keys[i] == 0) continue;
      const std::size_t slot = place(old_keys[i]);
      keys_[slot] = old_keys[i];
      values_[slot] = std::move(old_values[i]);
    }
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::unique_ptr<peer_state>> values_;
  std::size_t count_ = 0;
  std::uint64_t last_key_ = 0;
  peer_state* last_ = nullptr;
};

}  // namespace upwash::conduit::sim
