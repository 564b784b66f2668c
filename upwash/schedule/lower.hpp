// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From a logical edge to what travels: one pure function, for execution, price and replay alike.
// Both ends come to the same answer, because it depends only on what both know. Source: Nishtala
// et al. 2009, transfer mechanisms and synchronisation modes.
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

/// What decides how an edge travels; the same on the whole team.
struct transfer_rules {
  address_mode addresses = address_mode::local;
  sync_mode entry = sync_mode::mine;
  std::uint64_t eager_bytes = 512;    ///< edges of up to so many bytes are eager; at most a medium
  bool direct = false;                ///< ranks load and store each other's memory
  std::optional<mechanism> forced{};  ///< for all edges that can travel so
};

/// One thing that travels for an edge.
struct wire_step {
  enum class kind : std::uint8_t {
    message,  ///< takes both processors
    put,      ///< takes the sender's processor, and a handler at its end
    get,      ///< there and back without the other processor
    copy,     ///< by the receiver's processor, out of the sender's memory
  };
  kind what = kind::message;
  bool backwards = false;   ///< from the receiver of the edge to its sender
  std::uint64_t bytes = 0;  ///< beyond headers
};

/// How an edge travels: in this order.
struct wire {
  mechanism how = mechanism::eager;
  std::uint8_t count = 0;
  std::array<wire_step, 3> steps{};

  [[nodiscard]] std::span<const wire_step> all() const noexcept { return {steps.data(), count}; }
  /// Whether the receiver begins, by saying that the place is free.
  [[nodiscard]] bool asks_first() const noexcept { return count != 0 && steps[0].backwards; }
};

/// `bytes` with the header, at most; edges of unknown length (length_slot) count by their
/// capacity. A put: needs `placed` and single addresses; without an agreement on entry (mine) the
/// receiver asks for it. What is forced and cannot be falls back to the rule; what has neither
/// header nor data is eager, unless it is matched, so its send never waits. Matched: without
/// the traversals of the stores, which depend on what waits there.
[[nodiscard]] wire lower(std::uint64_t bytes, bool placed, bool acknowledged,
                         const transfer_rules& rules);

}  // namespace upwash::schedule
