// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a call takes on a network of switches where messages meet: by replaying its schedule, packet
// by packet.
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
  /// Calls that may send more packets than these are not replayed: some tens of milliseconds.
  static constexpr std::uint64_t most_packets = 200'000;

  contended_predictor(const machine& on, std::shared_ptr<const model::topology> network);

  /// To the end of the call, when all enter at once. Nothing for calls that may send too many
  /// packets, whose lengths are known at run time only, or that do not fit the network. A replay:
  /// about 0.1 us a packet and switch. Deterministic: the same at all ranks.
  [[nodiscard]] std::optional<duration> predict(const collective::selection& one,
                                                const collective::problem& call) const;

  [[nodiscard]] const model::topology& network() const noexcept { return *network_; }

 private:
  machine on_;
  std::shared_ptr<const model::topology> network_;
};

}  // namespace upwash::tuning
