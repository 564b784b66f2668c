// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The receivers of messages and of completions.
#pragma once

#include "upwash/base/message.hpp"

namespace upwash::observe {
struct standing;
}

namespace upwash::conduit {

// Types that programs' headers need as well are in base/message.hpp.
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
using message = active_message;  // conduits carry no other type

/// A message whose parts travel to the conduit in registers, separate from its arguments and
/// payload. If they were stored on the way, they would wait for earlier stores to peers' memory.
class small_message {
 public:
  constexpr small_message(handler_id handler, std::size_t argument_bytes, lane kind,
                          bool from_handler, int source, int destination) noexcept
      : call_(std::uint64_t{handler.offset} | std::uint64_t{handler.module} << 32U |
              std::uint64_t{argument_bytes} << 40U |
              std::uint64_t{static_cast<std::uint8_t>(kind)} << 48U |
              std::uint64_t{from_handler} << 56U),
        source_(source),
        destination_(destination) {}

  /// Returns offset (4 bytes) and module (1 byte) of the handler, and the bytes of its arguments (1
  /// byte).
  [[nodiscard]] constexpr std::uint64_t call() const noexcept {
    return call_ & ((std::uint64_t{1} << 48U) - 1);
  }
  [[nodiscard]] constexpr std::size_t argument_bytes() const noexcept {
    return static_cast<std::uint8_t>(call_ >> 40U);
  }
  [[nodiscard]] constexpr lane kind() const noexcept {
    return static_cast<lane>(static_cast<std::uint8_t>(call_ >> 48U));
  }
  [[nodiscard]] constexpr bool from_handler() const noexcept { return call_ >> 56U != 0; }
  [[nodiscard]] constexpr int destination() const noexcept { return destination_; }

  [[nodiscard]] constexpr message with(const std::byte* arguments,
                                       std::span<const std::byte> payload) const noexcept {
    return {.handler = {static_cast<std::uint32_t>(call_), static_cast<std::uint8_t>(call_ >> 32U)},
            .kind = kind(),
            .source = source_,
            .destination = destination_,
            .sequence = 0,
            .arguments = {arguments, argument_bytes()},
            .payload = payload};
  }

 private:
  std::uint64_t call_;
  int source_;
  int destination_;
};

/// Reports once that a stage of an operation is reached. Called from `poll`, never from inside the
/// injecting call. Owned by the caller and alive until the report. `tell` must not inject.
struct completion {
  void (*tell)(completion& self) noexcept = nullptr;
};

/// The two stages of a memory operation. Null: no report.
struct completions {
  completion* local = nullptr;  ///< the initiator's buffer may be reused (put) or read (get)
  completion* remote =
      nullptr;  ///< visible at the target; needs peer_capabilities::remote_completion
};

/// Receives the messages of one rank. The conduit calls it from `poll`, never nested.
class sink {
 public:
  virtual void deliver(const message& arrived) = 0;

  /// Returns whether the rank must act before more messages are taken: the poll then ends early. So
  /// a rank forwards data while the next messages still wait.
  [[nodiscard]] bool acts_first() const noexcept { return acts_first_; }

  /// Returns the rank's status, for the report of a world that sees all its ranks hang.
  [[nodiscard]] virtual observe::standing standing() const;

 protected:
  ~sink() = default;
  bool acts_first_ = false;
};

}  // namespace upwash::conduit
