// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Carries whole messages between ranks in virtual time, with events separate from those of its
// user.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/model/network_costs.hpp"

namespace upwash::simulator {

using model::network_collective;

class carrier {
 public:
  virtual ~carrier() = default;

  /// Returns whether this object carries messages between these ranks; otherwise its user carries
  /// them.
  [[nodiscard]] virtual bool carries(int from, int to) const = 0;

  /// Sends a message that leaves its processor now. `id` belongs to the user. Times never decrease.
  virtual void send(duration now, int from, int to, std::uint64_t bytes, std::uint64_t id) = 0;

  /// Returns whether it carries out collectives, so that `join` and `add_group` work.
  [[nodiscard]] virtual bool has_collectives() const noexcept = 0;
  /// Adds a group of ranks with separate collectives and returns its number. Group 0 is all ranks.
  virtual int add_group(std::span<const int> ranks) = 0;

  /// One rank's part in a collective.
  struct part {
    network_collective what = network_collective::barrier;
    int root = -1;  ///< a rank; for broadcasts and reductions
    std::uint64_t bytes = 0;
    std::uint32_t number = 0;  ///< the same at all ranks, not reused before all have their results
    int group = 0;
  };
  /// Lets a rank take part in a collective. `id` is reported as an arrival when the rank has its
  /// result, or has given its part. Throws `error` (configuration) if the network has no
  /// collectives.
  virtual void join(duration now, int rank, const part& in, std::uint64_t id) = 0;

  /// Returns the time of the next event; duration::max() if nothing is in progress.
  [[nodiscard]] virtual duration next_time() = 0;

  /// Runs all events up to and including `until`, but stops at the first arrival of a message,
  /// which it reports. Returns false if there was none.
  virtual bool run(duration until, function_ref<void(std::uint64_t id, duration at)> arrived) = 0;
};

}  // namespace upwash::simulator
