// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One step of a collective at one rank, on symbolic buffers: no addresses, no data. Executor,
// counter, validator, pricer and drawings read these steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upwash::schedule {

/// The buffers of a collective. Scratch belongs to the executor; the generator declares its size.
/// Shared is scratch in memory that all members load and store, also before its owner has entered
/// and after it has left. The initial content of shared scratch is undefined.
enum class buffer : std::uint8_t { none, input, output, scratch, shared };
inline constexpr std::size_t buffer_kinds = static_cast<std::size_t>(buffer::shared) + 1;

/// The owner of the rank's own pieces.
inline constexpr int own = -1;

/// A piece of a buffer, in bytes; whole elements if elements matter. Copies and reductions may name
/// a peer's input, output or shared scratch. They use direct access if available, otherwise a get
/// or put.
struct piece {
  buffer of = buffer::none;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  int owner = own;  ///< rank in the team

  [[nodiscard]] constexpr std::uint64_t end() const noexcept { return offset + bytes; }
  /// Returns the same piece at another rank.
  [[nodiscard]] constexpr piece of_rank(int rank) const noexcept {
    return {of, offset, bytes, rank};
  }
  [[nodiscard]] constexpr bool overlaps(const piece& other) const noexcept {
    return of != buffer::none && of == other.of && owner == other.owner && bytes != 0 &&
           other.bytes != 0 && offset < other.end() && other.offset < end();
  }
  /// Assigns `other` member by member, so that a computed value is stored directly. For an
  /// assignment of the whole, compilers emit wide loads, which wait for the narrow stores before
  /// them.
  constexpr void set(const piece& other) noexcept {
    of = other.of;
    offset = other.offset;
    bytes = other.bytes;
    owner = other.owner;
  }
  friend constexpr bool operator==(const piece&, const piece&) = default;
};

/// Consecutive slots: words of a run that are known only while it runs (mostly lengths).
struct slots {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend constexpr bool operator==(const slots&, const slots&) = default;
};

enum class step_kind : std::uint8_t {
  send,     ///< sends `left`, with the slots `header` in front, to `peer` as edge `edge`
  receive,  ///< writes edge `edge` from `peer` to `into`, and its header to the slots `header`
  copy,     ///< into = left
  reduce,   ///< into = left op right; `into` may be `left` or `right`
  stage,    ///< The generator continues only when this step is complete; it then knows more slots.
          ///< When all earlier steps are complete, scratch grows to `into.bytes`, and the slots to
          ///< the end of `header`. Slots keep their values; new ones are zero.
  collect,  ///< accepts from here on messages of edge `edge` from any member, an unknown number,
            ///< and hands them to the caller as they arrive
  close,    ///< Ends `collect` of that edge: no more messages arrive (the algorithm knows why).
          ///< `counted`: `value` messages arrive, and the step waits for them. With `acknowledged`
          ///< all have arrived, and another number is an error.
  deliver,  ///< hands `left` to the caller as a message from `peer`, as a `collect` does
  signal,   ///< adds 1 to counter `edge` of `peer` (`own`: the rank itself)
  await,  ///< waits until counter `edge` of `peer` is at least `value`; own counter: push, peer's:
          ///< pull
  net_multicast,  ///< the network copies `left` of `peer` to `into` of all ranks
  net_reduce,     ///< the network combines all ranks' `left` into `into` of `peer` (-1: of all)
  net_barrier,    ///< no rank passes before all have arrived in the network
};

[[nodiscard]] std::string_view to_string(step_kind kind) noexcept;
[[nodiscard]] std::string_view to_string(buffer of) noexcept;

/// A step names its dependencies by distance: 1 is the step emitted before it. All distances lie
/// within the generator's window, so that a consumer remembers no more steps.
struct step {
  static constexpr std::size_t most_dependencies = 4;
  static constexpr std::int32_t no_slot = -1;

  step_kind kind = step_kind::copy;
  /// send, receive: the sender knows the destination (`into` of the send, a piece of the peer's
  /// input or output). It is free from the peer's entry on. The same at both ends.
  bool placed = false;
  /// send: complete only when the peer's executor has the message.
  bool acknowledged = false;
  /// send, receive: the first word of the header gives its number of words. The receive has room
  /// for at least that number. Close: see there.
  bool counted = false;
  /// Waits for all earlier steps, independent of `after`.
  bool after_all = false;
  int peer = own;  ///< rank in the team
  /// The same at both ends; unique for (source, destination). Ranks of one class (generator.hpp)
  /// give corresponding messages the same number. For signal and await: the counter.
  std::uint32_t edge = 0;
  std::uint32_t round = 0;  ///< for counting and drawing
  piece left;
  piece right;
  piece into;
  slots header;
  /// receive: the message may have any length up to `into.bytes`; the length is written to this
  /// slot.
  std::int32_t length_slot = no_slot;
  std::uint64_t value = 0;                               ///< of an await or a counted close
  std::array<std::uint32_t, most_dependencies> after{};  ///< distances; 0: none

  /// Resets the step member by member. For the whole step, compilers emit a string instruction,
  /// which takes as long as the rest of emitting a step.
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

/// Returns whether the step names a rank outside a team of `ranks` ranks. Only algorithms that were
/// not validated do this.
[[nodiscard]] constexpr bool names_stranger(const step& s, int ranks) noexcept {
  const auto size = static_cast<unsigned>(ranks);
  const auto strange = [size](int rank) { return static_cast<unsigned>(rank) + 1 > size; };
  const bool needs_peer = s.kind == step_kind::send || s.kind == step_kind::receive ||
                          s.kind == step_kind::deliver || s.kind == step_kind::net_multicast;
  return strange(s.peer) || (needs_peer && s.peer < 0) || strange(s.left.owner) ||
         strange(s.right.owner) || strange(s.into.owner);
}

/// Returns the slot index after the last slot that the step names; for a stage, the future number
/// of slots.
[[nodiscard]] constexpr std::uint64_t slots_end(const step& s) noexcept {
  const std::uint64_t header = std::uint64_t{s.header.first} + s.header.count;
  const std::uint64_t length =
      s.length_slot == step::no_slot ? 0 : static_cast<std::uint64_t>(s.length_slot) + 1;
  return header < length ? length : header;
}

/// Returns for example "step 3 (send, round 2)".
[[nodiscard]] std::string name_step(std::uint64_t number, const step& s);
/// Returns for example "names rank 4 of 4", for a step that names a rank outside the team.
[[nodiscard]] std::string stranger_of(const step& s, int ranks);

}  // namespace upwash::schedule
