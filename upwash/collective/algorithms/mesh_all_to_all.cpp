// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/detail/mesh_turn.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective {

using detail::mesh_turn;
using schedule::buffer;
using schedule::generator;
using schedule::local_step;
using schedule::mark;
using schedule::never;
using schedule::part;
using schedule::piece;
using schedule::receive_step;
using schedule::script;
using schedule::send_step;
using schedule::steps;

namespace {

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

/// Of the bundles that come in the phase, at most.
std::uint64_t bundle_bytes(const mesh_turn& turn, std::uint64_t bytes) noexcept {
  return detail::most_sources(turn.on(), turn.phase()) * wide(turn.blocks_of_source()) * bytes;
}

/// Scratch: the bundles of each phase one behind the other, then the messages to be sent.
std::uint64_t messages_at(mesh_turn turn, std::uint64_t bytes) noexcept {
  std::uint64_t at = 0;
  for (; turn.phase() < turn.on().dimensions(); turn.next_phase()) {
    if (turn.in_last_phase() && turn.on().full()) break;
    at += wide(turn.senders()) * bundle_bytes(turn, bytes);
  }
  return at;
}

std::uint64_t scratch_of(mesh_turn turn, std::uint64_t bytes) noexcept {
  if (turn.is_direct()) return 0;
  const std::uint64_t before = messages_at(turn, bytes);
  std::uint64_t sent = 0;
  for (; turn.phase() < turn.on().dimensions(); turn.next_phase()) {
    const auto own = turn.to_send();
    const std::uint64_t most = detail::most_sources(turn.on(), turn.phase());
    sent = std::max(sent, most * wide(own.of_all - own.count) * bytes);
  }
  return before + sent;
}

std::uint32_t window_of(const mesh_turn& turn, bool whole) noexcept {
  // As many messages ahead as there are where each takes hundreds of copies.
  constexpr std::uint32_t two_turns = 8;
  if (whole && !turn.is_direct()) return two_turns;
  return detail::exchange_window(turn.on().ranks());
}

/// What a rank knows of an exchange while it goes through it.
struct exchange {
  exchange(const mesh_turn& of_turn, std::uint64_t of_bytes, bool is_whole)
      : turn(of_turn),
        bytes(of_bytes),
        whole(is_whole),
        first_message_at(messages_at(of_turn, of_bytes)) {
    enter_phase();
  }

  void enter_phase() noexcept {
    held = detail::sources(turn.on(), turn.phase(), turn.rank());
    source_bytes = wide(turn.blocks_of_source()) * bytes;
    bundle_room = detail::most_sources(turn.on(), turn.phase()) * source_bytes;
  }
  void enter_next_phase() noexcept {
    turn.next_phase();
    enter_phase();
  }

  [[nodiscard]] std::uint32_t round() const noexcept {
    return static_cast<std::uint32_t>(turn.phase());
  }
  [[nodiscard]] piece block(buffer of, int rank) const noexcept {
    return {of, wide(rank) * bytes, bytes};
  }
  /// Only on a full grid: what comes in the last phase is one piece of the output.
  [[nodiscard]] bool lands_in_output() const noexcept {
    return turn.in_last_phase() && turn.on().full();
  }
  [[nodiscard]] piece landing() const noexcept {
    return {buffer::output, wide(turn.own_coordinate()) * message.bytes, message.bytes,
            turn.peer()};
  }
  [[nodiscard]] piece arrival(int index, int sender) const noexcept {
    const int held_there = detail::sources(turn.on(), turn.phase(), sender);
    const std::uint64_t length = wide(held_there) * source_bytes;
    // The sources are those that share the sender's last coordinate, in order.
    if (lands_in_output()) return {buffer::output, wide(index) * length, length};
    return {buffer::scratch, into_at + wide(index) * bundle_room, length};
  }

  [[nodiscard]] bool packs() const noexcept {
    return turn.peer() >= 0 && (turn.is_own() || !turn.is_direct());
  }
  [[nodiscard]] receive_step receive(script& out, int index) const {
    const int sender = turn.sender(index);
    const receive_step step =
        out.receive(sender, turn.edge(), arrival(index, sender)).in_round(round());
    return lands_in_output() ? step.placed() : step;
  }
  [[nodiscard]] send_step send(script& out) {
    if (turn.is_direct()) message = block(buffer::input, turn.peer());
    const send_step step = out.send(turn.peer(), turn.edge(), message)
                               .in_round(round())
                               .after(turn.is_direct() ? never : last_copy);
    return lands_in_output() ? step.placed(landing()) : step;
  }
  /// What has come is what the next phase sends. Whether there is none.
  [[nodiscard]] bool ends_phase() noexcept {
    begins_phase = true;
    if (turn.in_last_phase()) return true;
    held_at = into_at;
    held_bytes = bundle_room;
    into_at += wide(turn.senders()) * held_bytes;
    return false;
  }

  /// Copies run one after the other; the first of a phase waits for all that the phase before did.
  [[nodiscard]] local_step copy(script& out, const piece& from, const piece& into) {
    const local_step copied = out.copy(from, into).in_round(round());
    return std::exchange(begins_phase, false) ? copied.after_all() : copied.after(last_copy);
  }
  /// Where the run of blocks of a source goes to: into this turn's message, or, what is the rank's
  /// own, to its place.
  [[nodiscard]] piece packed(int source, std::uint64_t length) const noexcept {
    if (!turn.is_own()) return {buffer::scratch, message.end(), length};
    if (turn.in_last_phase()) return {buffer::output, wide(source) * bytes, length};
    const std::uint64_t bundle = wide(turn.own_coordinate()) * bundle_room;
    return {buffer::scratch, into_at + bundle + message.bytes, length};
  }

  [[nodiscard]] bool packs_whole() const noexcept { return whole && !turn.is_direct(); }
  /// This turn's message by one step, if there is anything in it.
  [[nodiscard]] bool has_whole() noexcept {
    message.bytes = wide(held) * wide(turn.to_send().count) * bytes;
    return message.bytes != 0;
  }
  [[nodiscard]] local_step pack_whole(script& out) {
    const buffer from = turn.phase() == 0 ? buffer::input : buffer::scratch;
    return copy(out, {from, 0, message.bytes}, message);
  }

  /// Of this turn's message.
  steps pack(script& out) {
    const model::grid& grid = turn.on();
    if (turn.phase() == 0) {
      detail::destination_walk to(turn.coordinate_to());
      do {
        const piece run = block(buffer::input, to.destination(grid));
        last_copy = co_yield copy(out, run, packed(turn.rank(), run.bytes));
        message.bytes += run.bytes;
      } while (to.next(grid));
    } else {
      const mesh_turn::share share = turn.to_send();
      detail::source_walk from(grid, turn.phase(), turn.rank());
      do {
        const std::uint64_t first = wide(from.within()) * wide(share.of_all) + wide(share.lead);
        const std::uint64_t at = held_at + wide(from.bundle()) * held_bytes + first * bytes;
        const piece run{buffer::scratch, at, wide(share.count) * bytes};
        last_copy = co_yield copy(out, run, packed(from.source(), run.bytes));
        message.bytes += run.bytes;
      } while (from.next(grid));
    }
  }

  /// What came in the last phase, to its places; the rank's own bundle did not come.
  steps unpack(script& out) {
    const model::grid& grid = turn.on();
    if (whole) {
      const std::uint64_t came = wide(grid.ranks() - held) * bytes;
      co_yield copy(out, {buffer::scratch, into_at, came}, {buffer::output, 0, came});
      co_return;
    }
    for (detail::arrived_walk from(turn); !from.ended(); from.next()) {
      const std::uint64_t bundle = wide(from.bundle()) * bundle_room;
      const std::uint64_t at = into_at + bundle + wide(from.within()) * bytes;
      last_copy =
          co_yield copy(out, {buffer::scratch, at, bytes}, block(buffer::output, from.source()));
    }
  }

  mesh_turn turn;
  std::uint64_t bytes;
  bool whole;
  std::uint64_t first_message_at;
  int held = 1;                    ///< sources, in this phase
  std::uint64_t source_bytes = 0;  ///< of each source that comes in it
  std::uint64_t bundle_room = 0;   ///< of each bundle
  std::uint64_t held_at = 0;       ///< bundles that came in the phase before
  std::uint64_t held_bytes = 0;    ///< room of each
  std::uint64_t into_at = 0;       ///< bundles of this phase
  piece message;                   ///< this turn's, as far as it is packed
  mark last_copy = never;
  bool begins_phase = false;
};

steps go_through(script& out, exchange at) {
  for (;; at.enter_next_phase()) {
    std::uint64_t message_at = at.first_message_at;
    do {
      at.message = {buffer::scratch, message_at, 0};
      if (at.packs() && at.packs_whole()) {
        if (at.has_whole()) {
          const local_step packing = at.pack_whole(out);
          at.last_copy = co_yield packing;
        }
      } else if (at.packs()) {
        part packing(out, at.pack(out));
        co_await packing.all();
      }
      for (const bool for_hole : {false, true}) {
        const int index = at.turn.arrival(for_hole);
        if (index < 0) continue;
        const receive_step coming = at.receive(out, index);
        co_yield coming;
      }
      if (at.turn.is_own() || at.turn.peer() < 0) continue;
      const send_step going = at.send(out);
      co_yield going;
      if (!at.turn.is_direct()) message_at += at.message.bytes;
    } while (at.turn.next_turn());
    if (at.ends_phase()) break;
  }
  if (at.turn.on().full()) co_return;
  part unpacking(out, at.unpack(out));
  co_await unpacking.all();
}

}  // namespace

generator mesh_all_to_all(int ranks, int rank, std::uint64_t bytes, mesh_parameters chosen) {
  const mesh_turn turn(detail::mesh_grid(ranks, chosen.dimensions, chosen.row), rank);
  const bool whole = chosen.whole_messages;
  return {{.window = window_of(turn, whole),
           .scratch_bytes = scratch_of(turn, bytes),
           .rank_class = turn.rank_class(),
           .alike = turn.on().full()},
          [=](script& out) { return go_through(out, exchange(turn, bytes, whole)); }};
}

}  // namespace upwash::collective
