// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who is told of messages and of completions.
#pragma once

#include "upwash/base/message.hpp"

namespace upwash::observe {
struct standing;
}

namespace upwash::conduit {

// What programs' headers need as well stands in base/message.hpp.
using upwash::conduit_module;
using upwash::core_module;
using upwash::handler_id;
using upwash::injection;
using upwash::lane;
using upwash::lane_count;
using upwash::max_argument_bytes;
using upwash::outcome;
using upwash::reservation;
using upwash::retry_reason;
using message = active_message;  // conduits carry no other

/// Told once when a stage of an operation is reached; from `poll`, never from inside the
/// injecting call. Owned by the caller and alive until told. `tell` must not inject.
struct completion {
  void (*tell)(completion& self) noexcept = nullptr;
};

/// The two stages of a memory operation. Null: not asked for.
struct completions {
  completion* local = nullptr;  ///< the initiator's buffer may be reused (put) or read (get)
  completion* remote =
      nullptr;  ///< visible at the target; needs peer_capabilities::remote_completion
};

/// Receives the messages of one rank. The conduit calls it from `poll`, never nested.
class sink {
 public:
  virtual void deliver(const message& arrived) = 0;

  /// Whether what came is to be acted upon before more is taken: the poll then ends early. So a
  /// rank sends on what it got while the next messages still wait.
  [[nodiscard]] bool acts_first() const noexcept { return acts_first_; }

  /// What the rank is in, for the report of a world that sees all its ranks hang.
  [[nodiscard]] virtual observe::standing standing() const;

 protected:
  ~sink() = default;
  bool acts_first_ = false;
};

}  // namespace upwash::conduit
