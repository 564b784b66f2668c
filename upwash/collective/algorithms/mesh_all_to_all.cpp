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

/// In one dimension each message is a block of the input, and comes to its place in the output.
bool is_direct(const mesh_turn& turn) noexcept { return turn.on().dimensions() == 1; }

std::uint64_t scratch_of(mesh_turn turn, std::uint64_t bytes) noexcept {
  if (is_direct(turn)) return 0;
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
  if (whole && !is_direct(turn)) return two_turns;
  // Steps wait for one of the last few; the rest is room for messages to overlap.
  constexpr std::uint64_t most_open = 256;
  return static_cast<std::uint32_t>(std::min(most_open, 8 + 4 * wide(turn.on().ranks())));
}

class exchange {
 public:
  exchange(const mesh_turn& turn, std::uint64_t bytes, bool whole)
      : turn_(turn), bytes_(bytes), whole_(whole), messages_at_(messages_at(turn, bytes)) {}

  steps all(script& out) {
    for (;; turn_.next_phase()) {
      std::uint64_t message_at = messages_at_;
      do {
        message_ = {buffer::scratch, message_at, 0};
        if (turn_.peer() >= 0 && (turn_.is_own() || !is_direct(turn_))) {
          part packing(out, pack(out));
          co_await packing.all();
        }
        for (const bool for_hole : {false, true}) {
          const int index = turn_.arrival(for_hole);
          if (index < 0) continue;
          const receive_step step =
              out.receive(turn_.sender(index), turn_.edge(), arrival(index)).in_round(round());
          const receive_step coming = lands_in_output() ? step.placed() : step;
          co_yield coming;
        }
        if (turn_.is_own() || turn_.peer() < 0) continue;
        if (is_direct(turn_)) message_ = block(buffer::input, turn_.peer());
        const send_step step = out.send(turn_.peer(), turn_.edge(), message_)
                                   .in_round(round())
                                   .after(is_direct(turn_) ? never : packed_);
        const send_step going = lands_in_output() ? step.placed(landing()) : step;
        co_yield going;
        if (!is_direct(turn_)) message_at += message_.bytes;
      } while (turn_.next_turn());
      begins_phase_ = true;
      if (turn_.in_last_phase()) break;
      held_at_ = into_at_;
      held_bytes_ = bundle_bytes(turn_, bytes_);
      into_at_ += wide(turn_.senders()) * held_bytes_;
    }
    if (turn_.on().full()) co_return;
    part unpacking(out, unpack(out));
    co_await unpacking.all();
  }

 private:
  [[nodiscard]] std::uint32_t round() const noexcept {
    return static_cast<std::uint32_t>(turn_.phase());
  }
  [[nodiscard]] piece block(buffer of, int rank) const noexcept {
    return {of, wide(rank) * bytes_, bytes_};
  }
  /// Only on a full grid: what comes in the last phase is one piece of the output.
  [[nodiscard]] bool lands_in_output() const noexcept {
    return turn_.in_last_phase() && turn_.on().full();
  }
  [[nodiscard]] piece landing() const noexcept {
    return {buffer::output, wide(turn_.own_coordinate()) * message_.bytes, message_.bytes,
            turn_.peer()};
  }
  [[nodiscard]] piece arrival(int index) const noexcept {
    const int held_there = detail::sources(turn_.on(), turn_.phase(), turn_.sender(index));
    const std::uint64_t length = wide(held_there) * wide(turn_.blocks_of_source()) * bytes_;
    // The sources are those that share the sender's last coordinate, in order.
    if (lands_in_output()) return {buffer::output, wide(index) * length, length};
    return {buffer::scratch, into_at_ + wide(index) * bundle_bytes(turn_, bytes_), length};
  }

  /// Copies run one after the other; the first of a phase waits for all that the phase before did.
  [[nodiscard]] local_step copy(script& out, const piece& from, const piece& into) {
    const local_step copied = out.copy(from, into).in_round(round());
    return std::exchange(begins_phase_, false) ? copied.after_all() : copied.after(packed_);
  }
  /// Where the run of blocks of a source goes to: into this turn's message, or, what is the rank's
  /// own, to its place.
  [[nodiscard]] piece packed(int source, std::uint64_t length) const noexcept {
    if (!turn_.is_own()) return {buffer::scratch, message_.end(), length};
    if (turn_.in_last_phase()) return {buffer::output, wide(source) * bytes_, length};
    const std::uint64_t bundle = wide(turn_.own_coordinate()) * bundle_bytes(turn_, bytes_);
    return {buffer::scratch, into_at_ + bundle + message_.bytes, length};
  }

  /// Of this turn's message.
  steps pack(script& out) {
    const model::grid& grid = turn_.on();
    if (whole_ && !is_direct(turn_)) {
      const int held = detail::sources(grid, turn_.phase(), turn_.rank());
      message_.bytes = wide(held) * wide(turn_.to_send().count) * bytes_;
      if (message_.bytes == 0) co_return;
      const buffer from = turn_.phase() == 0 ? buffer::input : buffer::scratch;
      packed_ = co_yield copy(out, {from, 0, message_.bytes}, message_);
    } else if (turn_.phase() == 0) {
      detail::destination_walk to(turn_.coordinate_to());
      do {
        const piece run = block(buffer::input, to.destination(grid));
        packed_ = co_yield copy(out, run, packed(turn_.rank(), run.bytes));
        message_.bytes += run.bytes;
      } while (to.next(grid));
    } else {
      const mesh_turn::share share = turn_.to_send();
      detail::source_walk from(grid, turn_.phase(), turn_.rank());
      do {
        const std::uint64_t first = wide(from.within()) * wide(share.of_all) + wide(share.lead);
        const std::uint64_t at = held_at_ + wide(from.bundle()) * held_bytes_ + first * bytes_;
        const piece run{buffer::scratch, at, wide(share.count) * bytes_};
        packed_ = co_yield copy(out, run, packed(from.source(), run.bytes));
        message_.bytes += run.bytes;
      } while (from.next(grid));
    }
  }

  /// What came in the last phase, to its places; the rank's own bundle did not come.
  steps unpack(script& out) {
    const model::grid& grid = turn_.on();
    if (whole_) {
      const int held = detail::sources(grid, turn_.phase(), turn_.rank());
      const std::uint64_t came = wide(grid.ranks() - held) * bytes_;
      co_yield copy(out, {buffer::scratch, into_at_, came}, {buffer::output, 0, came});
      co_return;
    }
    detail::source_walk from(grid, grid.dimensions(), turn_.rank());
    for (bool more = true; more; more = more && from.next(grid)) {
      if (from.bundle() == turn_.own_coordinate()) more = from.next_bundle(grid);
      if (!more) break;
      const std::uint64_t bundle = wide(from.bundle()) * bundle_bytes(turn_, bytes_);
      const std::uint64_t at = into_at_ + bundle + wide(from.within()) * bytes_;
      packed_ =
          co_yield copy(out, {buffer::scratch, at, bytes_}, block(buffer::output, from.source()));
    }
  }

  mesh_turn turn_;
  std::uint64_t bytes_;
  bool whole_;
  std::uint64_t messages_at_;
  std::uint64_t held_at_ = 0;     ///< bundles that came in the phase before
  std::uint64_t held_bytes_ = 0;  ///< room of each
  std::uint64_t into_at_ = 0;     ///< bundles of this phase
  piece message_;                 ///< this turn's, as far as it is packed
  mark packed_ = never;
  bool begins_phase_ = false;
};

steps go_through(script& out, mesh_turn turn, std::uint64_t bytes, bool whole) {
  exchange all(turn, bytes, whole);
  part phases(out, all.all(out));
  co_await phases.all();
}

}  // namespace

generator mesh_all_to_all(int ranks, int rank, std::uint64_t bytes, mesh_parameters chosen) {
  const mesh_turn turn(model::grid::near_cube(ranks, chosen.dimensions), rank);
  const bool whole = chosen.whole_messages;
  return {{.window = window_of(turn, whole),
           .scratch_bytes = scratch_of(turn, bytes),
           .rank_class = turn.rank_class(),
           .alike = turn.on().full()},
          [=](script& out) { return go_through(out, turn, bytes, whole); }};
}

}  // namespace upwash::collective
