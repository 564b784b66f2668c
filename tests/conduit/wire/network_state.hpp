// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the transports of a pretended network share: what is under way, and whose memory is where.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "tests/conduit/wire/pretended_network.hpp"
#include "upwash/base/random.hpp"

namespace upwash::test {

/// A packet. Its bytes are the sender's until it is told, or this one's own.
struct letter {
  std::span<const std::byte> bytes;
  std::vector<std::byte> copy;
  conduit::completion* sent = nullptr;  ///< to be told
  std::uint64_t sender_polls = 0;
  std::uint64_t receiver_polls = 0;
  bool arrived = false;

  void take_copy() {
    copy.assign(bytes.begin(), bytes.end());
    bytes = copy;
  }
};

/// A large buffer, of which either side may be named first.
struct parcel {
  std::span<const std::byte> from;
  std::vector<std::byte> copy;
  std::span<std::byte> to;
  conduit::completion* sent = nullptr;
  conduit::completion* came = nullptr;
  bool is_sent = false;
  bool is_wanted = false;
  std::uint64_t sender_polls = 0;
  std::uint64_t receiver_polls = 0;
  bool arrived = false;
};

/// From one process to another.
struct route {
  std::deque<std::shared_ptr<letter>> letters;
  std::size_t most = 0;  ///< letters at once
  std::uint64_t arrived = 0;
  std::optional<std::uint64_t> announced;  ///< how many will have been sent in all
};

struct network_state {
  struct block {
    std::byte* base = nullptr;
    std::size_t size = 0;
    int owner = -1;
  };

  network_state(const network_options& chosen, network_turns* turns)
      : options(chosen),
        others(turns),
        random(chosen.seed, 0x77697265),
        routes(static_cast<std::size_t>(chosen.processes * chosen.processes)) {}

  [[nodiscard]] route& between(int from, int to) {
    return routes.at(static_cast<std::size_t>(from * options.processes + to));
  }
  [[nodiscard]] std::uint64_t some_polls() noexcept { return random.below(options.most_polls + 1); }
  [[nodiscard]] bool by_chance() noexcept { return random.below(2) == 0; }

  const network_options options;
  network_turns* const others;
  random_stream random;
  std::uint64_t events = 0;
  std::vector<route> routes;
  /// Of which one side was named; by from, to, tag.
  std::map<std::tuple<int, int, std::uint32_t>, std::shared_ptr<parcel>> parcels;
  std::map<std::uint64_t, block> blocks;
  std::uint64_t blocks_made = 0;
  int closed = 0;  ///< processes that took all that was sent to them
  int lost = -1;
};

/// One poll less to go; whether none is left.
[[nodiscard]] inline bool is_due(std::uint64_t& polls) noexcept {
  if (polls == 0) return true;
  --polls;
  return false;
}

inline void tell(conduit::completion* who) noexcept {
  if (who != nullptr) who->tell(*who);
}

}  // namespace upwash::test
