// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What carries whole messages between ranks in virtual time, beside the events of who uses it.
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

  /// Whether messages between these ranks are its own; otherwise its user carries them.
  [[nodiscard]] virtual bool carries(int from, int to) const = 0;

  /// A message leaves its processor now. `id` is the user's; times never decrease.
  virtual void send(duration now, int from, int to, std::uint64_t bytes, std::uint64_t id) = 0;

  /// Whether it carries out collectives: `join` and `add_group` serve.
  [[nodiscard]] virtual bool has_collectives() const noexcept = 0;
  /// Ranks that have collectives of their own; the group's number. Group 0 is all ranks.
  virtual int add_group(std::span<const int> ranks) = 0;

  /// One rank's part in a collective.
  struct part {
    network_collective what = network_collective::barrier;
    int root = -1;  ///< a rank; of broadcasts and reductions
    std::uint64_t bytes = 0;
    std::uint32_t number = 0;  ///< the same at all ranks, not used again before all have theirs
    int group = 0;
  };
  /// A rank takes part; `id` is told as an arrival when it has its result, or has given its part.
  /// Throws `error` (configuration) where the network has no collectives.
  virtual void join(duration now, int rank, const part& in, std::uint64_t id) = 0;

  /// When something happens next; duration::max(): nothing is under way.
  [[nodiscard]] virtual duration next_time() = 0;

  /// Runs up to and with `until`, but no further than the first arrival of a message, which it
  /// reports. false: there was none.
  virtual bool run(duration until, function_ref<void(std::uint64_t id, duration at)> arrived) = 0;
};

}  // namespace upwash::simulator
