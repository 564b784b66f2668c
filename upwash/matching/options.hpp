// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The options for a job's tagged messages: the knobs, and the call with which the runtime installs
// them.
#pragma once

#include <cstddef>
#include <string>

namespace upwash {
class job;
class knob_table;
class settings;
}  // namespace upwash

namespace upwash::matching {

struct message_options {
  std::string engine = "adaptive";   ///< of both stores (store.hpp)
  std::string partition = "single";  ///< of both stores (store.hpp)
  std::size_t eager_bytes = 8192;    ///< the receiver fetches larger messages
  /// Memory, in bytes, for messages that arrive before their receives. Each peer may fill its
  /// share. Above its share, its messages are fetched when they are received.
  std::size_t unexpected_bytes = std::size_t{64} << 20U;
  /// Envelopes of messages to be fetched that arrive before their receives, shared in the same way.
  /// Above a peer's share its messages stay listed at the peer, and receives ask for them.
  std::size_t unexpected_envelopes = 65'536;
  /// A trace or recording of an earlier run, from which static partitions (clustered, partner) are
  /// made. Empty: they have one queue.
  std::string profile{};
  std::string trace{};  ///< records matching into this file and .RANK; empty: off
};

/// Adds the rows `matching`, `eager_limit`, `unexpected_limit`, `unexpected_envelopes`,
/// `match_profile`, `match_trace`.
void add_knobs(knob_table& table);
/// Returns the values of these rows. Throws `error` (argument) for an unknown store.
[[nodiscard]] message_options options_of(const settings& values);
/// Installs the options, before the first receive. Throws `error` (argument) while receives are
/// posted.
void install(job& here, const message_options& chosen);

}  // namespace upwash::matching
