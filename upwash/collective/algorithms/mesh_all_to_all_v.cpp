// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/mesh_all_to_all_v.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/detail/given_blocks.hpp"
#include "upwash/collective/algorithms/detail/mesh_turn.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective {

using detail::block_for;
using detail::block_from;
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
std::size_t at(int rank) noexcept { return static_cast<std::size_t>(rank); }
std::uint32_t word(int number) noexcept { return static_cast<std::uint32_t>(number); }

/// Slots of a bundle (a message that has come) of the turn's phase: its place in scratch, and the
/// ends of its blocks if it has a header.
std::uint64_t slots_of_bundle(const mesh_turn& turn) noexcept {
  if (turn.in_last_phase()) return 1;
  return 1 + detail::most_sources(turn.on(), turn.phase()) * wide(turn.blocks_of_source());
}

/// What is laid out before anything is known of the lengths. Slots: the bundles of each phase, then
/// the headers to be sent. Scratch: room for short messages by phase and bundle.
struct layout {
  layout(mesh_turn turn, std::uint32_t most_inline) : inline_bytes(most_inline) {
    if (turn.is_direct()) return;
    std::uint64_t most_sent = 0;
    for (; turn.phase() < turn.on().dimensions(); turn.next_phase()) {
      sent_headers += wide(turn.senders()) * slots_of_bundle(turn);
      if (turn.in_last_phase()) break;
      short_bytes += wide(turn.senders()) * inline_bytes;
      const mesh_turn::share own = turn.to_send();
      const std::uint64_t most = detail::most_sources(turn.on(), turn.phase());
      most_sent = std::max(most_sent, most * wide(own.of_all - own.count));
    }
    slots = sent_headers + most_sent;
    if (slots <= std::numeric_limits<std::int32_t>::max()) return;
    throw error(error_kind::argument,
                fmt::format("mesh_all_to_all_v on {} ranks: it would need {} slots; at most {} can "
                            "be had: take one dimension",
                            turn.on().ranks(), slots, std::numeric_limits<std::int32_t>::max()));
  }

  std::uint32_t inline_bytes;
  std::uint64_t slots = 0;
  std::uint64_t sent_headers = 0;
  std::uint64_t short_bytes = 0;
};

void check_slots(std::size_t slots, std::uint64_t wanted, int ranks) {
  if (slots >= wanted) return;
  throw error(error_kind::argument,
              fmt::format("mesh_all_to_all_v on {} ranks: {} slots; give the {} that it asks for",
                          ranks, slots, wanted));
}

void check_length(std::uint64_t came, std::uint64_t wanted, int source, int rank) {
  if (came == wanted) return;
  throw error(error_kind::fault,
              fmt::format("rank {}: {} bytes came from rank {} where {} were expected; the members "
                          "must agree on each pair's length",
                          rank, came, source, wanted));
}

/// Blocks that lie together: one of the input, or those of a source that go the same way.
struct run {
  piece from;
  int source = 0;
  std::uint32_t ends = 0;  ///< slots that say where its blocks end in their bundle; of phase 0 none
  std::uint64_t starts = 0;  ///< where the first begins there
};

/// What a rank knows of an exchange while it goes through it.
struct exchange {
  exchange(const mesh_turn& of_turn, const layout& of)
      : turn(of_turn),
        inline_bytes(of.inline_bytes),
        into_words(static_cast<std::uint32_t>(slots_of_bundle(of_turn))),
        sent_headers(static_cast<std::uint32_t>(of.sent_headers)),
        room_at(of.short_bytes),
        begin(room_at),
        top(room_at),
        capacity(room_at) {}

  [[nodiscard]] std::uint32_t round() const noexcept { return word(turn.phase()); }

  // The words of a bundle.
  [[nodiscard]] std::uint32_t place_slot(int bundle) const noexcept {
    return into_slots + word(bundle) * into_words;
  }
  [[nodiscard]] std::uint32_t ends_from(int sender) const noexcept {
    return word(detail::sources(turn.on(), turn.phase(), sender)) * word(turn.blocks_of_source());
  }
  [[nodiscard]] std::uint64_t bytes_of(const script& in, int bundle) const {
    return in.words()[place_slot(bundle) + ends_from(turn.sender(bundle))];
  }

  // Room.
  [[nodiscard]] bool fits(std::uint64_t bytes) const noexcept { return top + bytes <= capacity; }
  [[nodiscard]] local_step grow_to(script& out, std::uint64_t bytes) {
    capacity = bytes;
    return out.grow(capacity).in_round(round()).after_all();
  }
  /// For so many bytes more; by half, so that it is rare.
  [[nodiscard]] local_step grow_for(script& out, std::uint64_t bytes) {
    const std::uint64_t more = std::max<std::uint64_t>(inline_bytes, (capacity - room_at) / 2);
    return grow_to(out, std::max(top + bytes, capacity + more));
  }
  [[nodiscard]] piece take(std::uint64_t bytes) noexcept {
    top += bytes;
    return {buffer::scratch, top - bytes, bytes};
  }

  void begin_turn() noexcept {
    header = {turn.is_own() ? place_slot(turn.own_coordinate()) + 1 : sent_headers + sent_words, 0};
    message = {buffer::scratch, top, 0};
  }
  [[nodiscard]] bool packs() const noexcept {
    return turn.peer() >= 0 && (turn.is_own() || !turn.is_direct());
  }
  /// Copies run one after the other; the first of a phase waits for all that the phase before did.
  [[nodiscard]] local_step copy(script& out, const piece& from, const piece& into) {
    const local_step copied = out.copy(from, into).in_round(round());
    return std::exchange(begins_phase, false) ? copied.after_all() : copied.after(last_copy);
  }
  [[nodiscard]] run blocks_of(const script& in, const detail::source_walk& from,
                              const mesh_turn::share& share) const {
    const std::uint32_t place = held_slots + word(from.bundle()) * held_words;
    const std::uint32_t first = word(from.within()) * word(share.of_all) + word(share.lead);
    run found;
    found.source = from.source();
    found.ends = place + 1 + first;
    found.starts = first == 0 ? 0 : in.words()[found.ends - 1];
    const std::uint64_t end = in.words()[found.ends + word(share.count) - 1];
    found.from = {buffer::scratch, in.words()[place] + found.starts, end - found.starts};
    return found;
  }
  /// Into the header: where the blocks of the run end in this turn's message.
  void note_ends(const script& in, const run& of, int blocks) {
    const auto words = in.words();
    if (turn.phase() == 0) {
      words[header.first + header.count++] = message.bytes + of.from.bytes;
      return;
    }
    for (std::uint32_t i = 0; i < word(blocks); ++i) {
      words[header.first + header.count++] = message.bytes + words[of.ends + i] - of.starts;
    }
  }

  /// This turn's message, a run after the other; what is the rank's own in the last phase is there.
  steps pack(script& out) {
    const bool of_input = turn.phase() == 0;
    const mesh_turn::share share = turn.to_send();
    detail::destination_walk to(turn.coordinate_to());
    detail::source_walk from(turn.on(), turn.phase(), turn.rank());
    do {
      const run next = of_input ? run{block_for(out, to.destination(turn.on())), turn.rank()}
                                : blocks_of(out, from, share);
      if (turn.is_own() && turn.in_last_phase()) {
        const piece into = block_from(out, next.source);
        check_length(next.from.bytes, into.bytes, next.source, turn.rank());
        last_copy = co_yield copy(out, next.from, into);
        continue;
      }
      if (!fits(next.from.bytes)) co_yield grow_for(out, next.from.bytes);
      if (!turn.in_last_phase()) note_ends(out, next, share.count);
      message.bytes += next.from.bytes;
      last_copy = co_yield copy(out, next.from, take(next.from.bytes));
    } while (of_input ? to.next(turn.on()) : from.next(turn.on()));
  }

  [[nodiscard]] send_step send(script& out) const {
    if (turn.is_direct()) {
      return out.send(turn.peer(), turn.edge(), block_for(out, turn.peer())).in_round(round());
    }
    const bool goes_along = turn.in_last_phase() || message.bytes <= inline_bytes;
    const send_step step = out.send(turn.peer(), turn.edge(), goes_along ? message : piece{})
                               .in_round(round())
                               .after(last_copy);
    return turn.in_last_phase() ? step : step.with_header(header);
  }
  [[nodiscard]] receive_step receive(script& out, int bundle) const {
    const int sender = turn.sender(bundle);
    const piece into{buffer::scratch, short_at + wide(bundle) * inline_bytes, inline_bytes};
    return out.receive(sender, turn.edge(), into)
        .in_round(round())
        .with_length(static_cast<std::int32_t>(place_slot(bundle)))
        .with_header({place_slot(bundle) + 1, ends_from(sender)});
  }
  /// What comes in the last phase is as long as the caller says.
  [[nodiscard]] std::uint64_t bytes_to_come(const script& in, int sender) const {
    std::uint64_t bytes = 0;
    detail::source_walk of(turn.on(), turn.phase(), sender);
    do {
      bytes += in.given(2)[at(of.source())];
    } while (of.next(turn.on()));
    return bytes;
  }
  [[nodiscard]] receive_step receive_last(script& out, int bundle, std::uint64_t bytes) {
    const int sender = turn.sender(bundle);
    if (turn.is_direct()) {
      return out.receive(sender, turn.edge(), block_from(out, sender)).in_round(round());
    }
    out.words()[place_slot(bundle)] = top;
    // Until its message is packed, what the phase before sends may still lie there.
    return out.receive(sender, turn.edge(), take(bytes)).in_round(round()).after(last_copy);
  }
  void end_turn() noexcept {
    if (!turn.is_own()) sent_words += header.count;
  }

  /// Once all headers are here: where the bundles of the phase go. Long ones go where the bundles
  /// of the phase before were if they fit, else behind the messages that are still to be sent.
  /// Returns their bytes.
  std::uint64_t place_bundles(const script& in) {
    const auto words = in.words();
    const int own = turn.own_coordinate();
    std::uint64_t all = 0;
    std::uint64_t all_long = 0;
    for (int bundle = 0; bundle < turn.senders(); ++bundle) {
      const std::uint64_t bytes = bytes_of(in, bundle);
      all += bytes;
      if (bundle != own && bytes > inline_bytes) all_long += bytes;
    }
    const bool fit_below = all_long <= begin - room_at;
    std::uint64_t next_long = fit_below ? room_at : top;
    next_begin = fit_below ? begin + bytes_of(in, own) : top + all_long;
    for (int bundle = 0; bundle < turn.senders(); ++bundle) {
      const std::uint64_t bytes = bytes_of(in, bundle);
      std::uint64_t place = short_at + wide(bundle) * inline_bytes;
      if (bundle == own) {
        place = begin;
      } else if (bytes > inline_bytes) {
        place = next_long;
        next_long += bytes;
      }
      words[place_slot(bundle)] = place;
    }
    return all;
  }
  /// Where scratch must end for what the next phase packs; the last one keeps what comes behind
  /// what it sends: about as much.
  [[nodiscard]] std::uint64_t end_of_next(std::uint64_t to_send) const noexcept {
    const bool is_last_next = turn.phase() + 2 == turn.on().dimensions();
    return next_begin + (is_last_next ? 2 * to_send : to_send);
  }

  /// The messages that were too long to go with their headers.
  steps exchange_long(script& out) {
    const int held = detail::sources(turn.on(), turn.phase(), turn.rank());
    std::uint64_t message_at = begin;
    std::uint32_t header_end = sent_headers;
    do {
      if (turn.is_own()) {
        message_at += bytes_of(out, turn.own_coordinate());
      } else {
        header_end += word(held) * word(turn.to_send().count);
        const std::uint64_t bytes = out.words()[header_end - 1];
        const piece data{buffer::scratch, message_at, bytes};
        message_at += bytes;
        if (bytes > inline_bytes) {
          co_yield out.send(turn.peer(), turn.edges() + turn.edge(), data).in_round(round());
        }
      }
      for (const bool for_hole : {false, true}) {
        const int bundle = turn.arrival(for_hole);
        if (bundle < 0 || bytes_of(out, bundle) <= inline_bytes) continue;
        const piece into{buffer::scratch, out.words()[place_slot(bundle)], bytes_of(out, bundle)};
        co_yield out.receive(turn.sender(bundle), turn.edges() + turn.edge(), into)
            .in_round(round());
      }
    } while (turn.next_turn());
  }

  /// What has come is what the next phase sends.
  void next_phase() noexcept {
    held_slots = into_slots;
    held_words = into_words;
    into_slots += word(turn.senders()) * into_words;
    short_at += wide(turn.senders()) * inline_bytes;
    begin = top = next_begin;
    sent_words = 0;
    turn.next_phase();
    into_words = static_cast<std::uint32_t>(slots_of_bundle(turn));
  }

  /// What came in the last phase, to its places; the rank's own bundle did not come.
  steps unpack(script& out) {
    std::uint64_t block_at = 0;
    for (detail::arrived_walk from(turn); !from.ended(); from.next()) {
      if (from.within() == 0) block_at = out.words()[place_slot(from.bundle())];
      const piece into = block_from(out, from.source());
      const piece came{buffer::scratch, block_at, into.bytes};
      block_at += into.bytes;
      last_copy = co_yield copy(out, came, into);
    }
  }

  mesh_turn turn;
  std::uint32_t inline_bytes;
  // Slots.
  std::uint32_t held_slots = 0;  ///< bundles that came in the phase before
  std::uint32_t held_words = 0;  ///< slots of each
  std::uint32_t into_slots = 0;  ///< bundles of this phase
  std::uint32_t into_words;
  std::uint32_t sent_headers;
  std::uint32_t sent_words = 0;  ///< of the turns before, from there on
  schedule::slots header;        ///< this turn's
  // Scratch: room for short messages; from room_at on what is live: the bundles held, the rank's
  // own, the messages to be sent; then the long messages that come.
  std::uint64_t short_at = 0;  ///< of this phase
  std::uint64_t room_at;
  std::uint64_t begin;           ///< of what this phase packs; the rank's own bundle comes first
  std::uint64_t next_begin = 0;  ///< the same of the next phase
  std::uint64_t top;
  std::uint64_t capacity;
  piece message;  ///< this turn's, as far as it is packed
  mark last_copy = never;
  bool begins_phase = false;
};

/// A turn: packs its message, hears those that come in it, sends. What comes in the last phase
/// asks for room before the turn's send: growing waits for all before, and a peer's receive may be
/// behind its own growing.
steps go_through(script& out, exchange at, std::uint64_t slots) {
  detail::check_given_blocks(out, "mesh_all_to_all_v", at.turn.on().ranks());
  check_slots(out.words().size(), slots, at.turn.on().ranks());
  for (;; at.next_phase()) {
    do {
      at.begin_turn();
      if (at.packs()) {
        part packing(out, at.pack(out));
        co_await packing.all();
      }
      for (const bool for_hole : {false, true}) {
        const int bundle = at.turn.arrival(for_hole);
        if (bundle < 0) continue;
        std::uint64_t bytes = 0;
        if (at.turn.in_last_phase() && !at.turn.is_direct()) {
          bytes = at.bytes_to_come(out, at.turn.sender(bundle));
          if (!at.fits(bytes)) co_yield at.grow_for(out, bytes);
        }
        const receive_step coming =
            at.turn.in_last_phase() ? at.receive_last(out, bundle, bytes) : at.receive(out, bundle);
        co_yield coming;
      }
      if (!at.turn.is_own() && at.turn.peer() >= 0) co_yield at.send(out);
      at.end_turn();
    } while (at.turn.next_turn());
    if (at.turn.is_direct()) co_return;
    at.begins_phase = true;
    const bool was_last = at.turn.in_last_phase();
    if (!was_last) {
      co_yield out.stage().in_round(at.round());  // all headers of the phase are here
      const std::uint64_t end = at.end_of_next(at.place_bundles(out));
      if (end > at.capacity) co_yield at.grow_to(out, end);
    }
    part behind(out, was_last ? at.unpack(out) : at.exchange_long(out));
    co_await behind.all();
    if (was_last) co_return;
  }
}

}  // namespace

generator mesh_all_to_all_v(int ranks, int rank, mesh_v_parameters chosen) {
  const mesh_turn turn(detail::mesh_grid(ranks, chosen.dimensions, chosen.row), rank);
  const layout of(turn, chosen.inline_bytes);
  return {{.window = detail::exchange_window(ranks),
           .slots = static_cast<std::uint32_t>(of.slots),
           .scratch_bytes = of.short_bytes,
           .rank_class = turn.rank_class(),  // where the lengths are alike
           .given = true},
          [=](script& out) { return go_through(out, exchange(turn, of), of.slots); }};
}

}  // namespace upwash::collective
