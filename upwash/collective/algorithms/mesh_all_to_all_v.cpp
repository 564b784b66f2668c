// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/mesh_all_to_all_v.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "upwash/base/error.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

namespace {

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }
std::size_t at(int rank) noexcept { return static_cast<std::size_t>(rank); }
std::uint32_t word(int number) noexcept { return static_cast<std::uint32_t>(number); }

/// Slots of a bundle that comes in the phase of `t`: its place, and its ends if it has a header.
std::uint64_t slots_of_bundle(const detail::mesh_turn& t) noexcept {
  if (t.in_last_phase()) return 1;
  return 1 + detail::most_sources(t.on(), t.phase()) * wide(t.blocks_of_source());
}

}  // namespace

mesh_all_to_all_v::mesh_all_to_all_v(int ranks, int rank, parameters chosen)
    : mesh_exchange(ranks, rank, chosen.dimensions), inline_bytes_(chosen.inline_bytes) {
  if (is_direct()) return;
  into_words_ = static_cast<std::uint32_t>(slots_of_bundle(turn_));
  std::uint64_t slots = 0;
  for (detail::mesh_turn t = turn_; t.phase() < t.on().dimensions(); t.next_phase()) {
    slots += wide(t.senders()) * slots_of_bundle(t);
    if (!t.in_last_phase()) room_at_ += wide(t.senders()) * inline_bytes_;
  }
  if (slots + sent_words() > std::numeric_limits<std::int32_t>::max()) {
    throw error(error_kind::argument,
                fmt::format("mesh_all_to_all_v on {} ranks: it would need {} slots; at most {} can "
                            "be had: take one dimension",
                            ranks, slots + sent_words(), std::numeric_limits<std::int32_t>::max()));
  }
  sent_headers_ = static_cast<std::uint32_t>(slots);
  begin_ = top_ = message_at_ = capacity_ = room_at_;
}

/// In the headers of a phase, at most; the same whatever the phase is now.
std::uint32_t mesh_all_to_all_v::sent_words() const noexcept {
  std::uint64_t most = 0;
  for (detail::mesh_turn t(turn_.on(), turn_.rank()); !t.in_last_phase(); t.next_phase()) {
    const auto own = t.to_send();
    most = std::max(most, detail::most_sources(t.on(), t.phase()) * wide(own.of_all - own.count));
  }
  return static_cast<std::uint32_t>(most);
}

std::uint32_t mesh_all_to_all_v::place_slot(int bundle) const noexcept {
  return into_slots_ + word(bundle) * into_words_;
}

std::uint32_t mesh_all_to_all_v::ends_from(int sender) const noexcept {
  return word(detail::sources(turn_.on(), turn_.phase(), sender)) * word(turn_.blocks_of_source());
}

std::uint64_t mesh_all_to_all_v::bytes_from(int bundle, const schedule::tape& on) const noexcept {
  return on.slots()[place_slot(bundle) + ends_from(turn_.sender(bundle))];
}

void mesh_all_to_all_v::check_facts(const schedule::tape& on) const {
  const auto ranks = at(turn_.on().ranks());
  for (std::size_t i = 0; i < 4; ++i) {
    if (on.given(i).size() >= ranks) continue;
    throw error(
        error_kind::argument,
        fmt::format("mesh_all_to_all_v on {} ranks: array {} has {} words; give the lengths "
                    "and offsets to send and to receive, a word a rank each",
                    ranks, i, on.given(i).size()));
  }
  if (on.slots().size() < slot_count()) {
    throw error(error_kind::argument,
                fmt::format("mesh_all_to_all_v on {} ranks: {} slots; give the {} that it asks for",
                            ranks, on.slots().size(), slot_count()));
  }
}

void mesh_all_to_all_v::check_length(std::uint64_t came, int source,
                                     const schedule::tape& on) const {
  const std::uint64_t wanted = on.given(2)[at(source)];
  if (came == wanted) return;
  throw error(error_kind::fault,
              fmt::format("rank {}: {} bytes came from rank {} where {} were expected; the members "
                          "must agree on each pair's length",
                          turn_.rank(), came, source, wanted));
}

bool mesh_all_to_all_v::next(schedule::step& out, schedule::tape& on) {
  while (part_ != part::end) {
    if (!emit_part(out, on)) continue;
    out.round = word(turn_.phase());
    return true;
  }
  return false;
}

/// One part of a turn; each says first what comes behind it.
bool mesh_all_to_all_v::emit_part(schedule::step& out, schedule::tape& on) {
  switch (part_) {
    case part::pack:
      if (pack(out, on)) return true;
      part_ = part::receive;
      return false;
    case part::receive: part_ = part::receive_for_hole; return receive(out, on, false);
    case part::receive_for_hole: part_ = part::send; return receive(out, on, true);
    case part::send: part_ = part::end_turn; return send(out, on);
    case part::end_turn: end_turn(); return false;
    case part::settle: return settle(out, on);
    case part::send_rest: part_ = part::receive_rest; return send_rest(out, on);
    case part::receive_rest:
      part_ = part::receive_rest_for_hole;
      return receive_rest(out, on, false);
    case part::receive_rest_for_hole:
      part_ = part::end_turn_of_rest;
      return receive_rest(out, on, true);
    case part::end_turn_of_rest: end_turn_of_rest(); return false;
    case part::unpack:
      if (unpack(out, on)) return true;
      part_ = part::end;
      return false;
    case part::end: break;
  }
  return false;
}

void mesh_all_to_all_v::grow(std::uint64_t capacity, schedule::step& out, schedule::tape& on) {
  capacity_ = capacity;
  out = {};
  out.kind = step_kind::stage;
  out.after_all = true;
  out.into = {buffer::scratch, 0, capacity_};
  on.emit(out);
}

bool mesh_all_to_all_v::grows_for(std::uint64_t bytes, schedule::step& out, schedule::tape& on) {
  if (top_ + bytes <= capacity_) return false;
  const std::uint64_t more = std::max<std::uint64_t>(inline_bytes_, (capacity_ - room_at_) / 2);
  grow(std::max(top_ + bytes, capacity_ + more), out, on);
  return true;
}

mesh_all_to_all_v::run mesh_all_to_all_v::current_run(const schedule::tape& on) const {
  run next;
  if (turn_.phase() == 0) {
    const std::size_t to = at(to_.destination(turn_.on()));
    next.from = {buffer::input, on.given(1)[to], on.given(0)[to]};
    return next;
  }
  const auto words = on.slots();
  const std::uint32_t place = held_slots_ + word(from_.bundle()) * held_words_;
  const std::uint32_t first = word(from_.within()) * word(share_.of_all) + word(share_.lead);
  next.ends = place + 1 + first;
  next.starts = first == 0 ? 0 : words[next.ends - 1];
  next.from = {buffer::scratch, words[place] + next.starts,
               words[next.ends + word(share_.count) - 1] - next.starts};
  return next;
}

/// Into the header: where the blocks of the run end in this turn's message.
void mesh_all_to_all_v::note_ends(const run& of, const schedule::tape& on) {
  const auto words = on.slots();
  std::uint32_t to = header_words_ + (turn_.is_own() ? place_slot(turn_.own_coordinate()) + 1
                                                     : sent_headers_ + header_);
  if (turn_.phase() == 0) {
    words[to] = message_bytes_ + of.from.bytes;
    ++header_words_;
    return;
  }
  for (std::uint32_t i = 0; i < word(share_.count); ++i) {
    words[to++] = message_bytes_ + words[of.ends + i] - of.starts;
  }
  header_words_ += word(share_.count);
}

bool mesh_all_to_all_v::pack(schedule::step& out, schedule::tape& on) {
  if (turn_.peer() < 0 || (is_direct() && !turn_.is_own())) return false;
  if (turn_.phase() == 0 && turn_.is_own() && !has_run_) check_facts(on);
  if (!has_run_) has_run_ = next_run();
  if (!has_run_) return false;
  const run next = current_run(on);
  out.left = next.from;
  if (turn_.is_own() && turn_.in_last_phase()) {
    check_length(next.from.bytes, source_of_run(), on);
    out.into = {buffer::output, on.given(3)[at(source_of_run())], next.from.bytes};
  } else {
    if (grows_for(next.from.bytes, out, on)) return true;
    out.into = {buffer::scratch, top_, next.from.bytes};
    if (!turn_.in_last_phase()) note_ends(next, on);
    top_ += next.from.bytes;
    message_bytes_ += next.from.bytes;
  }
  has_run_ = false;
  copy(out, on);
  return true;
}

bool mesh_all_to_all_v::send(schedule::step& out, schedule::tape& on) {
  const int peer = turn_.peer();
  if (turn_.is_own() || peer < 0) return false;
  out.kind = step_kind::send;
  out.peer = peer;
  out.edge = turn_.edge();
  if (is_direct()) {
    out.left = {buffer::input, on.given(1)[at(peer)], on.given(0)[at(peer)]};
    on.emit(out);
    return true;
  }
  if (!turn_.in_last_phase()) out.header = {sent_headers_ + header_, header_words_};
  if (turn_.in_last_phase() || message_bytes_ <= inline_bytes_) {
    out.left = {buffer::scratch, message_at_, message_bytes_};
  }
  on.emit(out, packed_);
  return true;
}

bool mesh_all_to_all_v::receive(schedule::step& out, schedule::tape& on, bool for_hole) {
  const int bundle = turn_.arrival(for_hole);
  if (bundle < 0) return false;
  out.peer = turn_.sender(bundle);
  out.edge = turn_.edge();
  if (turn_.in_last_phase()) return receive_known(out, on, bundle);
  out.kind = step_kind::receive;
  out.into = {buffer::scratch, inline_at_ + wide(bundle) * inline_bytes_, inline_bytes_};
  out.length_slot = static_cast<std::int32_t>(place_slot(bundle));
  out.header = {place_slot(bundle) + 1, ends_from(out.peer)};
  on.emit(out);
  return true;
}

/// A message of the last phase (which has none for holes). It comes before the send of its turn:
/// growing waits for all before, and a peer's receive may be behind its own growing.
bool mesh_all_to_all_v::receive_known(schedule::step& out, schedule::tape& on, int bundle) {
  const model::grid& grid = turn_.on();
  schedule::mark room_free = schedule::never;
  if (is_direct()) {
    out.into = {buffer::output, on.given(3)[at(out.peer)], on.given(2)[at(out.peer)]};
  } else {
    std::uint64_t bytes = 0;
    detail::source_walk of(grid, turn_.phase(), out.peer);
    do {
      bytes += on.given(2)[at(of.source())];
    } while (of.next(grid));
    if (top_ + bytes > capacity_) {
      part_ = part::receive;
      return grows_for(bytes, out, on);
    }
    on.slots()[place_slot(bundle)] = top_;
    out.into = {buffer::scratch, top_, bytes};
    top_ += bytes;
    room_free = packed_;  // else the phase before may still send from there
  }
  out.kind = step_kind::receive;
  on.emit(out, room_free);
  return true;
}

void mesh_all_to_all_v::end_turn() {
  message_at_ = top_;
  message_bytes_ = 0;
  if (!turn_.is_own()) header_ += header_words_;
  header_words_ = 0;
  if (turn_.next_turn()) {
    part_ = part::pack;
    return;
  }
  begins_phase_ = true;
  part_ = !turn_.in_last_phase() ? part::settle : is_direct() ? part::end : part::unpack;
}

/// Once all headers are here: where the bundles of the phase go. Long ones go where the bundles of
/// the phase before were if they fit, else behind the messages that are still to be sent.
std::uint64_t mesh_all_to_all_v::place_bundles(const schedule::tape& on) {
  const auto words = on.slots();
  const int own = turn_.own_coordinate();
  std::uint64_t all = 0;
  std::uint64_t all_long = 0;
  for (int bundle = 0; bundle < turn_.senders(); ++bundle) {
    const std::uint64_t bytes = bytes_from(bundle, on);
    all += bytes;
    if (bundle != own && bytes > inline_bytes_) all_long += bytes;
  }
  const bool fit_below = all_long <= begin_ - room_at_;
  std::uint64_t next_long = fit_below ? room_at_ : top_;
  next_begin_ = fit_below ? begin_ + bytes_from(own, on) : top_ + all_long;
  for (int bundle = 0; bundle < turn_.senders(); ++bundle) {
    const std::uint64_t bytes = bytes_from(bundle, on);
    std::uint64_t place = inline_at_ + wide(bundle) * inline_bytes_;
    if (bundle == own) {
      place = begin_;
    } else if (bytes > inline_bytes_) {
      place = next_long;
      next_long += bytes;
    }
    words[place_slot(bundle)] = place;
  }
  return all;
}

bool mesh_all_to_all_v::settle(schedule::step& out, schedule::tape& on) {
  settled_ = !settled_;
  if (settled_) {
    out.kind = step_kind::stage;
    out.after_all = true;
    on.emit(out);
    return true;
  }
  part_ = part::send_rest;
  header_ = 0;
  const bool is_last_next = turn_.phase() + 2 == turn_.on().dimensions();
  const std::uint64_t to_send = place_bundles(on);
  // The last phase keeps what comes behind what it sends: about as much.
  const std::uint64_t end = next_begin_ + (is_last_next ? 2 * to_send : to_send);
  if (end <= capacity_) return false;
  grow(end, out, on);
  return true;
}

bool mesh_all_to_all_v::send_rest(schedule::step& out, schedule::tape& on) {
  if (turn_.is_own()) {
    message_at_ = begin_ + bytes_from(turn_.own_coordinate(), on);
    return false;
  }
  header_ += word(sources_) * word(turn_.to_send().count);
  const std::uint64_t bytes = on.slots()[sent_headers_ + header_ - 1];
  out.left = {buffer::scratch, message_at_, bytes};
  message_at_ += bytes;
  if (bytes <= inline_bytes_) {
    out.left = {};
    return false;
  }
  out.kind = step_kind::send;
  out.peer = turn_.peer();
  out.edge = turn_.edges() + turn_.edge();
  on.emit(out);
  return true;
}

bool mesh_all_to_all_v::receive_rest(schedule::step& out, schedule::tape& on, bool for_hole) {
  const int bundle = turn_.arrival(for_hole);
  if (bundle < 0) return false;
  const std::uint64_t bytes = bytes_from(bundle, on);
  if (bytes <= inline_bytes_) return false;
  out.kind = step_kind::receive;
  out.peer = turn_.sender(bundle);
  out.edge = turn_.edges() + turn_.edge();
  out.into = {buffer::scratch, on.slots()[place_slot(bundle)], bytes};
  on.emit(out);
  return true;
}

void mesh_all_to_all_v::end_turn_of_rest() {
  if (turn_.next_turn()) {
    part_ = part::send_rest;
    return;
  }
  held_slots_ = into_slots_;
  held_words_ = into_words_;
  into_slots_ += word(turn_.senders()) * into_words_;
  inline_at_ += wide(turn_.senders()) * inline_bytes_;
  begin_ = top_ = message_at_ = next_begin_;
  header_ = 0;
  turn_.next_phase();
  into_words_ = static_cast<std::uint32_t>(slots_of_bundle(turn_));
  sources_ = detail::sources(turn_.on(), turn_.phase(), turn_.rank());
  begins_phase_ = true;
  part_ = part::pack;
}

/// What came in the last phase, to its places.
bool mesh_all_to_all_v::unpack(schedule::step& out, schedule::tape& on) {
  if (!next_arrived()) return false;
  if (from_.within() == 0) message_at_ = on.slots()[place_slot(from_.bundle())];
  const std::size_t source = at(from_.source());
  out.left = {buffer::scratch, message_at_, on.given(2)[source]};
  out.into = {buffer::output, on.given(3)[source], on.given(2)[source]};
  message_at_ += out.left.bytes;
  copy(out, on);
  return true;
}

}  // namespace upwash::collective
