// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a rank's messages enter the conduit: waiting for credit outside handlers, the deferred
// queue inside them, pieces for payloads above the medium size, and sequence numbers where the
// conduit keeps no order. Invariants (docs/decisions/0002-messages.md):
//   I1  A message never overtakes a deferred one of its destination and lane.
//   I2  A handler never waits: what finds no credit is deferred, counted, and drained by progress.
//   I3  Above the limit the endpoint throttles peers' requests from outside handlers, nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "upwash/conduit/endpoint.hpp"
#include "upwash/core/detail/peer_facts.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

/// Of buffers that are kept for the next message.
inline constexpr std::size_t most_spare_bytes = std::size_t{1} << 20U;

/// A message with its bytes, kept until it can go or its turn comes.
struct stored_message {
  explicit stored_message(const conduit::message& m);

  /// The message, with spans into this object.
  [[nodiscard]] conduit::message view() const;

  conduit::message header;
  std::vector<std::byte> bytes;  ///< arguments, then payload
  std::size_t argument_bytes = 0;
};

/// A peer and a lane; ordered, so that draining is the same in every run.
using channel = std::pair<int, conduit::lane>;

/// Memory: O(channels used) where the conduit is unordered, else O(messages deferred).
class injector {
 public:
  injector(job& here, const peer_facts& peers);

  /// The common case without a call: one piece, nothing deferred, credit there. False: nothing
  /// happened, use `send`.
  [[nodiscard]] bool send_at_once(conduit::handler_id handler, conduit::lane kind, int destination,
                                  std::span<const std::byte> arguments,
                                  std::span<const std::byte> payload) {
    if (!can_go_at_once(payload.size())) [[unlikely]]
      return false;
    const conduit::small_message m(handler, arguments.size(), kind, here_.in_handler(),
                                   here_.rank(), destination);
    if (endpoint_.send_small(m, arguments.data(), payload).what != conduit::outcome::done)
        [[unlikely]] {
      return false;
    }
    count(arguments.size() + payload.size());
    return true;
  }
  /// Whether a message of one piece may go to the conduit, which may refuse it still.
  [[nodiscard]] bool can_go_at_once(std::size_t payload_bytes) const noexcept {
    return in_the_way_ == 0 && payload_bytes <= medium_bytes_;
  }
  /// A whole message went to the conduit: counts it.
  void note_sent(const conduit::message& m) noexcept {
    count(m.arguments.size() + m.payload.size());
  }
  /// Whole messages taken so far, the deferred ones too.
  [[nodiscard]] std::uint64_t sent() const noexcept {
    return host(here_).counters().messages_sent + sent_beyond_;
  }

  /// Sends, whatever it takes: waits outside handlers, for a call at `site`; defers inside.
  void send(const conduit::message& m, call_site site = {});
  /// One attempt; never waits, never defers. The payload is at most the medium size.
  conduit::injection try_send(const conduit::message& m);

  /// Sends what was deferred and can go now; returns how many went.
  int drain();
  [[nodiscard]] std::size_t deferred() const noexcept { return deferred_count_; }
  [[nodiscard]] bool has_deferred(channel to) const {
    return deferred_count_ != 0 && deferred_.contains(to);
  }

  /// A payload is being prepared for the channel: until it is closed, a send there from outside
  /// handlers throws `error` (argument), since it would wait for itself.
  void open_room(channel to) {
    rooms_.push_back(to);
    ++in_the_way_;
  }
  void close_room(channel to) { in_the_way_ -= std::erase(rooms_, to); }
  [[nodiscard]] bool any_room_open() const noexcept { return !rooms_.empty(); }
  [[nodiscard]] bool room_open(channel to) const {
    return std::find(rooms_.begin(), rooms_.end(), to) != rooms_.end();
  }

 private:
  void send_one(const conduit::message& m, call_site site);
  [[nodiscard]] bool goes(const conduit::message& m, bool in_handler);
  void send_pieces(const conduit::message& m, call_site site);
  void defer(const conduit::message& m);
  conduit::injection inject(const conduit::message& m, bool from_handler);
  void count(std::size_t bytes) noexcept {
    auto& counted = host(here_).counters();
    ++counted.messages_sent;
    counted.message_bytes += bytes;
  }

  job& here_;
  conduit::endpoint& endpoint_;
  const peer_facts& peers_;
  const std::size_t medium_bytes_;  ///< to any peer; some take more
  const bool ordered_;
  bool throttled_ = false;
  std::uint32_t streams_ = 0;  ///< messages sent in pieces so far
  std::size_t in_the_way_;     ///< deferred messages, open rooms, and one where no order is kept
  /// What `sent` is more than the messages that the conduit has taken: a message in pieces is one,
  /// and a deferred one is sent already. Modulo 2^64.
  std::uint64_t sent_beyond_ = 0;
  std::size_t deferred_count_ = 0;
  std::map<channel, std::deque<stored_message>> deferred_;
  std::map<channel, std::uint32_t> next_number_;
  std::vector<channel> rooms_;
};

/// Puts messages of unordered conduits back in order. Memory: O(peers heard) and what came early.
class resequencer {
 public:
  /// Calls `take(message)` for `m` and any successors that were waiting, or keeps `m`.
  template <class Take>
  void receive(const conduit::message& m, Take&& take) {
    state& from = channels_[{m.source, m.kind}];
    if (m.sequence != from.expected) {
      from.early.emplace(m.sequence, stored_message(m));
      return;
    }
    ++from.expected;
    take(m);
    for (auto it = from.early.find(from.expected); it != from.early.end();
         it = from.early.find(from.expected)) {
      const stored_message next = std::move(it->second);
      from.early.erase(it);
      ++from.expected;
      take(next.view());
    }
  }

 private:
  struct state {
    std::uint32_t expected = 0;
    std::map<std::uint32_t, stored_message> early;
  };
  std::map<channel, state> channels_;
};

/// Messages that arrive in pieces. Memory: the payloads that are not complete, and 1 MiB at most.
class assembler {
 public:
  /// Takes a piece; when it is the last, calls `take` with the whole message.
  template <class Take>
  void receive(const conduit::message& piece, Take&& take) {
    if (const stored_message* whole = add(piece)) {
      take(whole->view());
      done(piece);
    }
  }

 private:
  struct partial {
    stored_message whole;
    std::size_t missing;
  };
  using key = std::pair<channel, std::uint32_t>;
  const stored_message* add(const conduit::message& piece);
  void done(const conduit::message& piece);

  std::map<key, partial> partial_;
  std::vector<std::byte> spare_;  ///< of the last that was complete: pages that are there
};

/// Whether the handler id is that of a piece.
[[nodiscard]] inline bool is_piece(conduit::handler_id id) noexcept {
  return id.module == conduit::core_module;
}

}  // namespace upwash::detail
