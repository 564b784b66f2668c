// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a handler gets to see of its message. Programs include active_message.hpp, which also
// defines the replies.
#pragma once

#include <cstddef>
#include <span>

#include "upwash/base/message.hpp"

namespace upwash {

class job;

/// A message as its handler sees it. Valid until the handler returns.
class incoming {
 public:
  /// Made by progress, for the time of the handler.
  incoming(job& here, const active_message& m, std::span<const std::byte> payload)
      : here_(here), message_(m), payload_(payload) {}

  [[nodiscard]] job& here() const noexcept { return here_; }  ///< of the rank addressed
  /// The sender's rank in the world.
  [[nodiscard]] int source() const noexcept { return message_.source; }
  /// Valid until the handler returns.
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return payload_; }

  /// Sends to the source in the reply class, which has credits of its own. From the handler of a
  /// request only (throws `error` otherwise). Never blocks.
  template <auto Handler, class... Args>
  void reply(const Args&... args) const {
    reply_medium<Handler>({}, args...);
  }
  /// As `reply`, with a payload, which is copied.
  template <auto Handler, class... Args>
  void reply_medium(std::span<const std::byte> payload, const Args&... args) const;

 private:
  job& here_;
  const active_message& message_;
  std::span<const std::byte> payload_;
};

}  // namespace upwash
