// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two-sided messages: a send names destination and tag, a receive names source and tag, either of
// them wild. Messages of one sender on one team are received in the order in which they were sent,
// by receives that fit them. A team is a context of its own. Not from handlers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "upwash/base/call_site.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/matching/engines/envelope.hpp"
#include "upwash/matching/item_type.hpp"

namespace upwash::matching {

namespace detail {
struct posted;
struct unexpected_message;
class messenger;
}  // namespace detail

/// standard: complete when the buffer may be reused. synchronous: when it is received. ready: as
/// standard, and the receive is known to be posted; in checked runs it is an error if it is not.
enum class mode : std::uint8_t { standard, synchronous, ready };

/// Who sent what: source is a member of the team.
struct receipt {
  int source = any_source;
  int tag = any_tag;
  std::size_t bytes = 0;
  bool cancelled = false;
};

/// A receive that was started. Move-only; an empty one is complete. Destroying an unfinished one
/// waits for it, as a request does.
class [[nodiscard]] receiving {
 public:
  receiving() = default;
  receiving(receiving&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  receiving& operator=(receiving&& other) noexcept {
    if (this != &other) {
      finish();
      state_ = std::exchange(other.state_, nullptr);
    }
    return *this;
  }
  ~receiving() {
    if (state_ != nullptr) finish();
  }

  /// Whether it is complete; makes progress when it is not. Nonblocking.
  bool test();
  /// The same without progress. O(1), nonblocking.
  [[nodiscard]] bool is_complete() const noexcept;
  /// Has its end told, also that of one that is taken back, by a progress from now on; not that of
  /// one that is destroyed before. False, and `where` is not told, when it is complete already.
  /// Once a receive. O(1), nonblocking.
  bool tell(const notice& where);
  /// Blocks until the message is in the buffer. Throws `error` (argument) when it was longer than
  /// the buffer, or no message of its items; the buffer is then unchanged.
  const receipt& wait(call_site site = call_site::current());
  /// For who looks instead of waiting: where it is complete, what came, and whether it `fits`, or
  /// `wait` would throw; it is empty behind that. False, and nothing is changed, where it is not.
  /// O(1), nonblocking.
  [[nodiscard]] bool take_end(receipt& got, bool& fits) noexcept;
  /// The same, once it is complete. Blocking.
  void await_end(receipt& got, bool& fits, call_site site = call_site::current());
  /// Takes the receive back. False when a message has been matched with it already: then it will
  /// complete. O(1).
  bool cancel();

 private:
  friend class detail::messenger;
  explicit receiving(detail::posted* state) : state_(state) {}
  void finish() noexcept;

  detail::posted* state_ = nullptr;
};

/// A message that a probe took out, for one receive of its own. Destroying it drops the message.
class [[nodiscard]] claimed_message {
 public:
  claimed_message(claimed_message&& other) noexcept
      : owner_(other.owner_), state_(std::exchange(other.state_, nullptr)), told_(other.told_) {}
  claimed_message& operator=(claimed_message&&) = delete;
  ~claimed_message();

  /// Source, tag and length of the message.
  [[nodiscard]] const receipt& what() const noexcept { return told_; }

 private:
  friend class detail::messenger;
  claimed_message(detail::messenger& owner, detail::unexpected_message& state, const receipt& told)
      : owner_(&owner), state_(&state), told_(told) {}

  detail::messenger* owner_;
  detail::unexpected_message* state_;
  receipt told_;
};

/// What a program promises about its messages on a team (MPI 4.0, 7.4.4, `mpi_assert_*`).
struct hints {
  bool no_any_source = false;     ///< no receive or probe with any_source
  bool no_any_tag = false;        ///< no receive or probe with any_tag
  bool exact_length = false;      ///< every message has the length of its receive's buffer
  bool allow_overtaking = false;  ///< messages that fit the same receives may pass each other
};

/// Every member promises the same, before its first message on the team. Local. A promise that is
/// then broken is an `error` (argument): of the receive or probe, or of the wait for it.
void promise(const team& on, const hints& what);

/// For teams that are made at once (core/team_at_once.hpp): from now on a message of a team that
/// this rank is not in waits for it. Local.
void keep_early(job& here);
/// Drops those of teams that this rank is not in now, and was not in at the call before: they came
/// after their team was released. To be called where teams are made, while none is being made.
/// O(1) where none came.
void drop_early(job& here);

/// Sends bytes to a member. Nonblocking, and local whatever the receiver does: `bytes` must stay
/// until the request is complete. Small messages are copied at once while the receiver has room and
/// the conduit credit for them. Without credit they wait here, uncopied, until a progress of this
/// rank; the others are read by the receiver. Throws `error` (argument) for a tag below 0, no such
/// member or no team.
[[nodiscard]] request send(const team& to, int destination, int tag,
                           std::span<const std::byte> bytes, mode how = mode::standard,
                           item_type items = {});

/// The same, told to `where` in place of a request. False, and `where` is not told, when the buffer
/// may be reused already.
bool send(const team& to, int destination, int tag, std::span<const std::byte> bytes, mode how,
          const notice& where);

/// Sends as `send` does if the message is complete on return. False: nothing was sent, since it is
/// large or synchronous, or there is no room or no credit. Local.
[[nodiscard]] bool send_at_once(const team& to, int destination, int tag,
                                std::span<const std::byte> bytes, mode how = mode::standard);
/// False if a message of that length would be sent at once, but `unexpected_limit` over the ranks
/// is used up by this rank's messages that the member has not received: then it stays in its
/// sender's buffer until it is received. Local.
[[nodiscard]] bool has_room(const team& to, int destination, std::size_t bytes);

/// Receives into `into`, from a member or any_source, a tag or any_tag. Nonblocking. The wait for
/// it throws `error` (argument) for a message whose length is not a number of `items`; in checked
/// runs also for one that was sent with another type.
receiving receive(const team& from, int source, int tag, std::span<std::byte> into,
                  item_type items = {});
/// Receives the message that was claimed.
receiving receive(claimed_message&& claimed, std::span<std::byte> into, item_type items = {});

/// What a receive would get now, if anything. Makes progress; nonblocking. One that has found a
/// message finds one again, and so does a claim, until it is received; a message that its sender
/// lists is found some polls later, when the sender has answered. What was found so and is not
/// received yet costs 100 bytes a pattern.
[[nodiscard]] std::optional<receipt> probe(const team& from, int source, int tag);
/// Blocks until there is one.
[[nodiscard]] receipt wait_for_message(const team& from, int source, int tag,
                                       call_site site = call_site::current());
/// As `probe`, but the message is taken out, so that no other receive gets it.
[[nodiscard]] std::optional<claimed_message> claim(const team& from, int source, int tag);

/// What a rank's messages hold, beside the buffers of its sends and receives.
struct message_memory {
  std::size_t kept = 0;        ///< messages that came before their receives,
  std::size_t most_kept = 0;   ///< at most so far,
  std::size_t kept_bytes = 0;  ///< and their payload: bounded by unexpected_limit
  std::size_t most_kept_bytes = 0;
  std::size_t listed_here = 0;   ///< own sends that receivers have no room for
  std::size_t listed_there = 0;  ///< messages for this rank that stay with their senders
  std::size_t contexts = 0;      ///< teams with messages, not released
  std::size_t queued = 0;        ///< own sends that wait for credit; their bytes are not copied
};
/// What this rank holds now, and held at most. Local.
[[nodiscard]] message_memory memory_of(job& here);

/// The same send, or receive, again and again: the arguments are kept.
class persistent_send {
 public:
  /// Keeps the arguments of `send`, and refuses wrong ones; nothing is sent. The buffer stays.
  persistent_send(const team& to, int destination, int tag, std::span<const std::byte> bytes,
                  mode how = mode::standard);
  /// The one before must be complete.
  [[nodiscard]] request start() const;

 private:
  team to_;
  int destination_;
  int tag_;
  std::span<const std::byte> bytes_;
  mode how_;
};

class persistent_receive {
 public:
  /// Keeps the arguments of `receive`, and refuses wrong ones; nothing is posted. The buffer stays.
  persistent_receive(const team& from, int source, int tag, std::span<std::byte> into);
  /// The one before must be complete.
  [[nodiscard]] receiving start() const;

 private:
  team from_;
  int source_;
  int tag_;
  std::span<std::byte> into_;
};

}  // namespace upwash::matching
