// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps a logical edge to its wire steps: one pure function for execution, price and replay. Both
// ends get the same answer, because it depends only on facts that both know. Source: Nishtala et
// al. 2009, transfer mechanisms and synchronisation modes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "upwash/model/transfer.hpp"
#include "upwash/schedule/step.hpp"

namespace upwash::schedule {

using upwash::address_mode;
using upwash::mechanism;
using upwash::sync_mode;

/// The facts that decide the transfer of an edge; the same on the whole team.
struct transfer_rules {
  address_mode addresses = address_mode::local;
  sync_mode entry = sync_mode::mine;
  std::uint64_t eager_bytes = 512;    ///< largest eager edge; at most a medium message
  bool direct = false;                ///< ranks load and store each other's memory
  std::optional<mechanism> forced{};  ///< for all edges that support it
};

/// One transfer of an edge on the wire.
struct wire_step {
  enum class kind : std::uint8_t {
    message,  ///< uses both processors
    put,      ///< uses the sender's processor, and a handler at its end
    get,      ///< round trip without the other processor
    copy,     ///< by the receiver's processor, from the sender's memory
  };
  kind what = kind::message;
  bool backwards = false;   ///< from the receiver of the edge to its sender
  std::uint64_t bytes = 0;  ///< without headers
};

/// The wire steps of an edge, in their order.
struct wire {
  mechanism how = mechanism::eager;
  std::uint8_t count = 0;
  std::array<wire_step, 3> steps{};

  [[nodiscard]] std::span<const wire_step> all() const noexcept { return {steps.data(), count}; }
  /// Returns whether the receiver begins, with a message that the destination is free.
  [[nodiscard]] bool asks_first() const noexcept { return count != 0 && steps[0].backwards; }
};

/// Returns the wire steps of an edge. `bytes` includes the header and is a maximum; edges of
/// unknown length (length_slot) count with their capacity.
///
/// A put needs `placed` and single addresses. Without an agreement on entry (mine) the receiver
/// asks for it first. A forced mechanism that cannot be used is replaced by the rule's. An edge
/// without header and data is eager, unless it is matched, so its send never waits. The steps of a
/// matched edge do not include the traversals of the stores, which depend on the messages waiting
/// there.
[[nodiscard]] wire lower(std::uint64_t bytes, bool placed, bool acknowledged,
                         const transfer_rules& rules);

}  // namespace upwash::schedule
