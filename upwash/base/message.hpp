// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of an active message, the space in which it is prepared, and the result of an
// injection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash {

/// The class of a message. Classes have separate queues and credits and may overtake each other.
enum class lane : std::uint8_t {
  request,  ///< ordinary messages
  reply,    ///< sent from the handler of a request, to its source
  memory,   ///< touches registered memory only; a progress thread may drain it
};
inline constexpr std::size_t lane_count = 3;

/// Module numbers that name no module: for a conduit's own messages, and for messages that core
/// interprets.
inline constexpr std::uint8_t conduit_module = 0xff;
inline constexpr std::uint8_t core_module = 0xfe;

/// A handler on the wire: the module (executable or shared library) that holds it, by number,
/// and its offset from the module's base. Equal in all processes of a job whose build ids agree.
struct handler_id {
  std::uint32_t offset = 0;
  std::uint8_t module = 0;
  friend constexpr bool operator==(handler_id, handler_id) = default;
};

/// Bytes of arguments that every conduit carries in addition to a payload.
inline constexpr std::size_t max_argument_bytes = 48;

/// One active message, outgoing or arriving. The spans of an arriving message are valid until its
/// handler returns; those of an outgoing message until the injection returns.
struct active_message {
  handler_id handler;
  lane kind = lane::request;
  int source = 0;       ///< world rank
  int destination = 0;  ///< world rank
  /// Number among the messages of this source, destination and class. Carried unchanged by
  /// conduits that do not keep order (core resequences by it), ignored by those that do.
  std::uint32_t sequence = 0;
  std::span<const std::byte> arguments;  ///< at most max_argument_bytes
  std::span<const std::byte> payload;    ///< at most peer_capabilities::medium_bytes
};

enum class outcome : std::uint8_t {
  done,     ///< complete at once; no completion will follow
  pending,  ///< accepted; the given completions will follow
  retry,    ///< nothing happened; try again after progress
};

enum class retry_reason : std::uint8_t {
  none,
  no_credit,  ///< the queue to this peer and class is full
  throttled,  ///< the peer's deferred queue is over its limit; requests from outside handlers wait
  reserved,   ///< a payload prepared for this peer and class is not committed yet
  no_memory,  ///< a pool of the conduit is empty for the moment
};

struct [[nodiscard]] injection {
  outcome what = outcome::done;
  retry_reason why = retry_reason::none;

  [[nodiscard]] static constexpr injection done() { return {}; }
  [[nodiscard]] static constexpr injection pending() { return {outcome::pending, {}}; }
  [[nodiscard]] static constexpr injection retry(retry_reason why) { return {outcome::retry, why}; }
};

/// Space for a payload inside the conduit, to be filled in place.
struct reservation {
  std::span<std::byte> payload;
  int source = 0;
  int destination = 0;
  lane kind = lane::request;
  std::uint64_t handle = 0;
};

}  // namespace upwash
