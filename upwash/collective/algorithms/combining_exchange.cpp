// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/combining_exchange.hpp"

#include "upwash/collective/algorithms/detail/combining_words.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

template <class Route>
bool combining_exchange<Route>::next(schedule::step& out, schedule::tape& on) {
  while (part_ != part::end) {
    if (!emit_part(out, on)) continue;
    out.round = static_cast<std::uint32_t>(route_.phase());
    return true;
  }
  return false;
}

/// One part of a turn or a phase; each says first what comes behind it.
template <class Route>
bool combining_exchange<Route>::emit_part(schedule::step& out, schedule::tape& on) {
  switch (part_) {
    case part::open:
      part_ = part::fill;
      if (is_first_) measure_given(on);
      grow(lay_out(on), out, on);
      return true;
    case part::fill:
      part_ = part::pack;
      check_room(on);
      if (is_first_) hold_given(on);
      is_first_ = false;
      distribute(on);
      message_at_ = out_at_;
      grow(end_, out, on);
      return true;
    case part::pack:
      if (pack(out, on)) return true;
      part_ = part::send;
      return false;
    case part::send: part_ = part::receive; return send(out, on);
    case part::receive: part_ = part::receive_second; return receive(out, on, false);
    case part::receive_second: part_ = part::end_turn; return receive(out, on, true);
    case part::end_turn: end_turn(); return false;
    case part::settle:
      part_ = part::make_room;
      grow(end_, out, on);
      return true;
    case part::make_room:
      part_ = part::send_rest;
      sends_rest_ = false;
      message_at_ = out_at_;
      grow(place_long(on), out, on);
      return true;
    case part::send_rest: part_ = part::receive_rest; return send_rest(out, on);
    case part::receive_rest: part_ = part::receive_rest_second; return receive_rest(out, on, false);
    case part::receive_rest_second:
      part_ = part::end_turn_of_rest;
      return receive_rest(out, on, true);
    case part::end_turn_of_rest: end_turn_of_rest(); return false;
    case part::settle_rest:
      part_ = part::gather;
      grow(end_, out, on);
      return true;
    case part::gather:
      gather(on);
      item_ = word_ = 0;
      part_ = route_.next_phase() ? part::open : part::deliver;
      return false;
    case part::deliver:
      if (deliver(out, on)) return true;
      part_ = part::end;
      return false;
    case part::end: break;
  }
  return false;
}

template <class Route>
void combining_exchange<Route>::grow(std::uint64_t slots, schedule::step& out, schedule::tape& on) {
  check_size(slots);
  end_ = slots;
  out.kind = step_kind::stage;
  out.after_all = true;
  out.into = {buffer::scratch, 0, top_};
  out.header = {0, static_cast<std::uint32_t>(slots)};
  on.emit(out);
}

/// What goes alone needs no copy.
template <class Route>
bool combining_exchange<Route>::pack(schedule::step& out, schedule::tape& on) {
  if (route_.peer() < 0) return false;
  const target_words to = target(route_.target(), on);
  if (to.items() == 1) return false;
  for (; item_ < to.items(); ++item_) {
    const detail::item one(&on.slots()[to.first_item() + word_], what_);
    const std::uint64_t bytes = one.bytes();
    if (bytes == 0) {
      word_ += one.words();
      continue;
    }
    word_ += one.words();
    out.kind = step_kind::copy;
    out.left = piece_at(on.slots()[to.places() + item_++], bytes);
    out.into = {buffer::scratch, message_at_ + copies_, bytes};
    copies_ += bytes;
    packed_ = on.emit(out, packed_);
    return true;
  }
  return false;
}

template <class Route>
bool combining_exchange<Route>::send(schedule::step& out, schedule::tape& on) {
  const int peer = route_.peer();
  if (peer < 0) return false;
  const target_words to = target(route_.target(), on);
  out.kind = step_kind::send;
  out.peer = peer;
  out.edge = route_.edge();
  out.counted = true;
  out.header = to.header(on);
  if (!is_long(to.words(), to.bytes())) out.left = to.data(message_at_, on);
  on.emit(out, packed_);
  return true;
}

template <class Route>
bool combining_exchange<Route>::receive(schedule::step& out, schedule::tape& on, bool second) {
  const int sender = route_.arrival(second);
  if (sender < 0) return false;
  const std::uint64_t at = bundle(sender);
  out.kind = step_kind::receive;
  out.peer = route_.sender(sender);
  out.edge = route_.edge();
  out.counted = true;
  out.length_slot = static_cast<std::int32_t>(at);
  out.header = {static_cast<std::uint32_t>(at + 1), static_cast<std::uint32_t>(bundle_words() - 1)};
  out.into = {buffer::scratch, inline_at_ + static_cast<std::uint64_t>(sender) * inline_bytes_,
              inline_bytes_};
  on.emit(out);
  return true;
}

template <class Route>
void combining_exchange<Route>::end_turn() {
  message_at_ += copies_;
  copies_ = item_ = word_ = 0;
  packed_ = schedule::never;
  part_ = route_.next_turn() ? part::pack : part::settle;
}

template <class Route>
bool combining_exchange<Route>::send_rest(schedule::step& out, schedule::tape& on) {
  if (route_.peer() < 0) return false;
  const target_words to = target(route_.target(), on);
  const schedule::piece data = to.data(message_at_, on);
  if (to.items() > 1) message_at_ += to.bytes();
  if (!is_long(to.words(), to.bytes())) return false;
  sends_rest_ = true;
  out.kind = step_kind::send;
  out.peer = route_.peer();
  out.edge = route_.edges() + route_.edge();
  out.header = {static_cast<std::uint32_t>(to.first_item()),
                static_cast<std::uint32_t>(to.words())};
  out.left = data;
  on.emit(out);
  return true;
}

template <class Route>
bool combining_exchange<Route>::receive_rest(schedule::step& out, schedule::tape& on, bool second) {
  const int sender = route_.arrival(second);
  if (sender < 0) return false;
  const auto came = on.slots().subspan(bundle(sender));
  if (!is_long(came[2], came[3])) return false;
  sends_rest_ = true;
  out.kind = step_kind::receive;
  out.peer = route_.sender(sender);
  out.edge = route_.edges() + route_.edge();
  out.header = {static_cast<std::uint32_t>(came[4]), static_cast<std::uint32_t>(came[2])};
  out.into = {buffer::scratch, came[5], came[3]};
  on.emit(out);
  return true;
}

template <class Route>
void combining_exchange<Route>::end_turn_of_rest() {
  part_ = route_.next_turn() ? part::send_rest : sends_rest_ ? part::settle_rest : part::gather;
}

/// All items held are for this rank.
template <class Route>
bool combining_exchange<Route>::deliver(schedule::step& out, schedule::tape& on) {
  if (item_ == held_items_) return false;
  const detail::item one(&on.slots()[word_], what_);
  out.kind = step_kind::deliver;
  out.peer = one.origin();
  out.left = piece_at(on.slots()[held_words_ + item_], one.bytes());
  on.emit(out);
  if (++copies_ < one.destinations()) return true;  // a rank may be named twice
  copies_ = 0;
  word_ += one.words();
  ++item_;
  return true;
}

template class combining_exchange<detail::grid_route>;
template class combining_exchange<detail::cube_route>;

}  // namespace upwash::collective
