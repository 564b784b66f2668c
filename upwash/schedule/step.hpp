// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One step of a collective as one rank goes through it, over symbolic buffers: no addresses, no
// data. Executor, counter, validator, pricer and drawings all read these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upwash::schedule {

/// The buffers of a collective. Scratch is the executor's, its size declared by the generator.
/// Shared is scratch in memory that all members load and store, also before its owner has entered
/// and after it has left; what it holds at first is undefined.
enum class buffer : std::uint8_t { none, input, output, scratch, shared };
inline constexpr std::size_t buffer_kinds = static_cast<std::size_t>(buffer::shared) + 1;

/// The owner of a piece that is the rank's own.
inline constexpr int own = -1;

/// A piece of a buffer, in bytes; whole elements where elements matter. Copies and reductions may
/// name a peer's input, output or shared scratch: by direct access where there is one, else by a
/// get or put.
struct piece {
  buffer of = buffer::none;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  int owner = own;  ///< rank in the team

  [[nodiscard]] constexpr std::uint64_t end() const noexcept { return offset + bytes; }
  /// The same at another rank.
  [[nodiscard]] constexpr piece of_rank(int rank) const noexcept {
    return {of, offset, bytes, rank};
  }
  [[nodiscard]] constexpr bool overlaps(const piece& other) const noexcept {
    return of != buffer::none && of == other.of && owner == other.owner && bytes != 0 &&
           other.bytes != 0 && offset < other.end() && other.offset < end();
  }
  /// Becomes `other`, member by member: what has just been computed then goes where it is wanted.
  /// Of the whole compilers make wide loads, which wait until the narrow stores before are through.
  constexpr void set(const piece& other) noexcept {
    of = other.of;
    offset = other.offset;
    bytes = other.bytes;
    owner = other.owner;
  }
  friend constexpr bool operator==(const piece&, const piece&) = default;
};

/// Consecutive slots: words of a run that are known only while it runs (lengths, mostly).
struct slots {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend constexpr bool operator==(const slots&, const slots&) = default;
};

enum class step_kind : std::uint8_t {
  send,     ///< `left`, with the slots `header` in front, goes to `peer` as edge `edge`
  receive,  ///< edge `edge` from `peer` is written to `into`, its header to the slots `header`
  copy,     ///< into = left
  reduce,   ///< into = left op right; `into` may be `left` or `right`
  stage,    ///< the generator is asked for more only once this is done: it then knows more slots.
            ///< Scratch grows to `into.bytes`, the slots to the end of `header` (what they hold
            ///< stays, new ones are zero), once all steps before are done.
  collect,  ///< from here on messages of edge `edge` from any member are taken and handed to the
            ///< caller as they come; nobody knows how many there are
  close,    ///< ends `collect` of that edge: none comes any more (the algorithm knows why).
            ///< `counted`: `value` messages come; it waits for them, or with `acknowledged` (all
            ///< are here) another number is an error
  deliver,  ///< `left` is handed to the caller as a message from `peer`, as a `collect` does
  signal,   ///< adds 1 to counter `edge` of `peer` (`own`: the rank's)
  await,    ///< waits until counter `edge` of `peer` is at least `value`; own: push, peer's: pull
  net_multicast,  ///< the network carries `left` of `peer` to `into` of all ranks
  net_reduce,     ///< the network combines all ranks' `left` to `into` of `peer` (-1: of all)
  net_barrier,    ///< the network lets nobody pass before all have come
};

[[nodiscard]] std::string_view to_string(step_kind kind) noexcept;
[[nodiscard]] std::string_view to_string(buffer of) noexcept;

/// A step names what it waits for by distance: 1 is the step emitted before it. A generator keeps
/// all distances within its window, so that a consumer remembers no more than that.
struct step {
  static constexpr std::size_t most_dependencies = 4;
  static constexpr std::int32_t no_slot = -1;

  step_kind kind = step_kind::copy;
  /// send, receive: the sender knows where the data lands (the send's `into`, a piece of the
  /// peer's input or output), which is free from the peer's entry on. The same at both ends.
  bool placed = false;
  /// send: done only when the peer's executor has the message.
  bool acknowledged = false;
  /// send, receive: the first word of the header says how many words it has; the receive has room
  /// for as many or more. Close: see there.
  bool counted = false;
  /// Waits for all steps emitted before it, whatever `after` says.
  bool after_all = false;
  int peer = own;  ///< rank in the team
  /// The same at both ends; unique for (source, destination). Ranks of one class (generator.hpp)
  /// give alike messages the same number. For signal and await: the counter.
  std::uint32_t edge = 0;
  std::uint32_t round = 0;  ///< for counting and drawing
  piece left;
  piece right;
  piece into;
  slots header;
  /// receive: any length up to `into.bytes` may come; it is written to this slot.
  std::int32_t length_slot = no_slot;
  std::uint64_t value = 0;                               ///< of an await or a counted close
  std::array<std::uint32_t, most_dependencies> after{};  ///< distances; 0: none

  /// As new. Member by member: of the whole compilers make a string instruction, which takes as
  /// long as all else that emitting a step does.
  constexpr void clear() noexcept {
    kind = step_kind::copy;
    placed = acknowledged = counted = after_all = false;
    peer = own;
    edge = round = 0;
    for (piece* each : {&left, &right, &into}) each->set({});
    header = {};
    length_slot = no_slot;
    value = 0;
    after = {};
  }

  [[nodiscard]] constexpr bool in_network() const noexcept {
    return kind >= step_kind::net_multicast;
  }
  friend constexpr bool operator==(const step&, const step&) = default;
};

/// Whether the step names a rank that a team of `ranks` has not: as only algorithms do that nobody
/// has validated.
[[nodiscard]] constexpr bool names_stranger(const step& s, int ranks) noexcept {
  const auto size = static_cast<unsigned>(ranks);
  const auto strange = [size](int rank) { return static_cast<unsigned>(rank) + 1 > size; };
  const bool needs_peer = s.kind == step_kind::send || s.kind == step_kind::receive ||
                          s.kind == step_kind::deliver || s.kind == step_kind::net_multicast;
  return strange(s.peer) || (needs_peer && s.peer < 0) || strange(s.left.owner) ||
         strange(s.right.owner) || strange(s.into.owner);
}

/// Behind the last slot that the step names; of a stage, how many there shall be.
[[nodiscard]] constexpr std::uint64_t slots_end(const step& s) noexcept {
  const std::uint64_t header = std::uint64_t{s.header.first} + s.header.count;
  const std::uint64_t length =
      s.length_slot == step::no_slot ? 0 : static_cast<std::uint64_t>(s.length_slot) + 1;
  return header < length ? length : header;
}

/// "step 3 (send, round 2)".
[[nodiscard]] std::string name_step(std::uint64_t number, const step& s);
/// Of a step that names one: "names rank 4 of 4".
[[nodiscard]] std::string stranger_of(const step& s, int ranks);

}  // namespace upwash::schedule
