// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A handler's view of its message. Programs include active_message.hpp, which also defines the
// replies.
#pragma once

#include <cstddef>
#include <span>

#include "upwash/base/message.hpp"

namespace upwash {

class job;

/// A message as its handler sees it. Valid until the handler returns.
class incoming {
 public:
  /// Constructed by progress, for the duration of the handler.
  incoming(job& here, const active_message& m, std::span<const std::byte> payload)
      : here_(here), message_(m), payload_(payload) {}

  [[nodiscard]] job& here() const noexcept { return here_; }  ///< the addressed rank's job
  /// Returns the sender's rank in the world.
  [[nodiscard]] int source() const noexcept { return message_.source; }
  /// Returns the payload, which is valid until the handler returns.
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return payload_; }

  /// Sends a message to the source in the reply class, which has its own credits. Never blocks.
  /// Only from the handler of a request; throws `error` otherwise.
  template <auto Handler, class... Args>
  void reply(const Args&... args) const {
    reply_medium<Handler>({}, args...);
  }
  /// Sends a reply with a payload, which is copied. Otherwise as `reply`.
  template <auto Handler, class... Args>
  void reply_medium(std::span<const std::byte> payload, const Args&... args) const;

 private:
  job& here_;
  const active_message& message_;
  std::span<const std::byte> payload_;
};

}  // namespace upwash
