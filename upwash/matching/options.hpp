// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a job's tagged messages are kept and sent: the knobs, and what runtime installs.
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
  std::string partition = "single";  ///< the same
  std::size_t eager_bytes = 8192;    ///< larger messages are fetched by the receiver
  /// Memory for messages that came before their receives. Each peer may fill its share of it;
  /// beyond that its messages are fetched when they are received.
  std::size_t unexpected_bytes = std::size_t{64} << 20U;
  /// Envelopes of messages that are to be fetched and came before their receives, shared alike.
  /// Beyond a peer's share its messages stay listed with it, and receives ask for them.
  std::size_t unexpected_envelopes = 65'536;
  /// A trace or recording of an earlier run, which static partitions (clustered, partner) are made
  /// from; empty: they have one queue.
  std::string profile{};
  std::string trace{};  ///< records matching into this file and .RANK; empty: not
};

/// Rows `matching`, `eager_limit`, `unexpected_limit`, `unexpected_envelopes`, `match_profile`,
/// `match_trace`.
void add_knobs(knob_table& table);
/// Their values. Throws `error` (argument) for a store that there is not.
[[nodiscard]] message_options options_of(const settings& values);
/// Before the first receive; throws `error` (argument) while receives are posted.
void install(job& here, const message_options& chosen);

}  // namespace upwash::matching
