// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What carries whole messages between ranks in virtual time, beside the events of who uses it.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"

namespace upwash::simulator {

class carrier {
 public:
  virtual ~carrier() = default;

  /// Whether messages between these ranks are its own; otherwise its user carries them.
  [[nodiscard]] virtual bool carries(int from, int to) const = 0;

  /// A message leaves its processor now. `id` is the user's; times never decrease.
  virtual void send(duration now, int from, int to, std::uint64_t bytes, std::uint64_t id) = 0;

  /// Runs up to and with `until`, but no further than the first arrival of a message, which it
  /// reports. false: there was none.
  virtual bool run(duration until, function_ref<void(std::uint64_t id, duration at)> arrived) = 0;
};

}  // namespace upwash::simulator
