// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Predicts the time of a call on a network of switches with contention, by replaying its schedule
// packet by packet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "upwash/base/duration.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/topology.hpp"

namespace upwash::tuning {

class contended_predictor {
 public:
  /// Calls that may send more packets are not replayed. A replay of this size takes some tens of
  /// milliseconds.
  static constexpr std::uint64_t most_packets = 200'000;

  contended_predictor(const machine& on, std::shared_ptr<const model::topology> network);

  /// Returns the time to the end of the call if all members enter at once. Gives no time for calls
  /// that may send too many packets, have lengths known only at run time, or do not fit the
  /// network. Cost: about 0.1 us for each packet and switch. Deterministic: the same at all ranks.
  [[nodiscard]] std::optional<duration> predict(const collective::selection& one,
                                                const collective::problem& call) const;

  [[nodiscard]] const model::topology& network() const noexcept { return *network_; }

 private:
  machine on_;
  std::shared_ptr<const model::topology> network_;
};

}  // namespace upwash::tuning
