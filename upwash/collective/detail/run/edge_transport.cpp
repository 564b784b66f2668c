// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/edge_transport.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/collective/detail/run/team_records.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {
namespace {

/// How the edge travels, as both its ends see it.
schedule::wire wire_of(const operation& op, const schedule::step& s, std::uint64_t data_bytes) {
  const std::uint64_t header = edge_data::header_bytes(s);
  return lower(data_bytes + header, s.placed && header == 0, s.acknowledged, op.rules);
}

/// Whether the receiver knows where a piece lies, in address mode single.
bool is_in_region(const schedule::piece& p) noexcept {
  return p.of == schedule::buffer::input || p.of == schedule::buffer::output;
}

}  // namespace

// -- Sending ------------------------------------------------------------------------------------

bool edge_transport::send(operation& op, slot& s) {
  const schedule::step& what = s.what;
  if (op.rules.forced == schedule::mechanism::matched) return uses_.matched.send(op, s);
  if (s.state == progress_of::fetching) {  // a put
    if (!s.moving.done()) {
      op.stir(s);
      return false;
    }
    op.complete(s);
    return true;
  }
  if (s.state != progress_of::waiting) return false;
  if (has_line(op, what, what.left.bytes)) {
    op.on_team.shared->line(what.peer, op.epoch, what.edge)
        .write(board::tag_of(op.epoch), op.source(what.left), what.left.bytes);
    op.complete(s);
    return true;
  }
  const schedule::wire how = wire_of(op, what, what.left.bytes);
  switch (how.how) {
    case schedule::mechanism::signalling_put: return send_put(op, s, how.asks_first());
    case schedule::mechanism::rendezvous: return send_offer(op, s, false);
    case schedule::mechanism::single_copy: return send_offer(op, s, true);
    case schedule::mechanism::eager:
    case schedule::mechanism::matched: return send_eager(op, s);
  }
  return false;
}

bool edge_transport::has_line(const operation& op, const schedule::step& s,
                              std::uint64_t bytes) noexcept {
  return op.shares_memory && op.now_in == phase::main && op.main_steps.wants().edges_apart &&
         op.main_steps.wants().slots == 0 && s.edge < board::lines &&
         bytes <= board_line::payload_bytes;
}

bool edge_transport::send_eager(operation& op, slot& s) {
  const schedule::step& what = s.what;
  const auto sent = try_send_medium<&handle_eager>(
      here_, op.among.world_rank(what.peer), uses_.data.in_one_piece(op, s), op.among.id(),
      op.run(), op.wire_edge(what.edge), what.acknowledged ? uses_.slots.name_of(s) : 0);
  if (sent.what != conduit::outcome::done) {
    op.stir(s);
    return false;
  }
  if (what.acknowledged) {
    s.state = progress_of::offered;
  } else {
    op.complete(s);
  }
  return true;
}

bool edge_transport::send_put(operation& op, slot& s, bool asks_first) {
  const schedule::step& what = s.what;
  if (asks_first && !uses_.arrivals.take_place(op.key_of(what), s)) return false;
  s.moving = send_long<&handle_landed>(here_, global_of(op, what.peer, what.into),
                                       {op.source(what.left), what.left.bytes}, op.among.id(),
                                       op.run(), op.wire_edge(what.edge));
  s.state = progress_of::fetching;
  op.stir(s);
  return true;
}

bool edge_transport::send_offer(operation& op, slot& s, bool in_place) {
  const schedule::step& what = s.what;
  if (!s.exposed && s.offered.sender == 0) {
    s.offered = {};
    s.offered.sender = uses_.slots.name_of(s);
    if (in_place && what.header.count == 0 && is_in_region(what.left)) {
      s.offered.source = what.left;
    } else {
      s.offered.memory = expose(here_, uses_.data.in_one_piece(op, s));
      s.exposed = true;
    }
  }
  const auto sent = try_send_medium<&handle_offer>(
      here_, op.among.world_rank(what.peer), std::as_bytes(std::span(&s.offered, 1)), op.among.id(),
      op.run(), op.wire_edge(what.edge));
  if (sent.what != conduit::outcome::done) {
    op.stir(s);
    return false;
  }
  s.state = progress_of::offered;
  return true;
}

// -- Receiving ----------------------------------------------------------------------------------

bool edge_transport::receive(operation& op, slot& s) {
  if (op.rules.forced == schedule::mechanism::matched) return uses_.matched.receive(op, s);
  switch (s.state) {
    case progress_of::waiting: break;
    case progress_of::posted: return tell_free(op, s);
    case progress_of::came: return fetch(op, s);
    case progress_of::fetching: return fetched(op, s);
    case progress_of::fetched: return acknowledge(op, s);
    default: return false;
  }
  return has_line(op, s.what, s.what.into.bytes) ? read_line(op, s) : post(op, s);
}

bool edge_transport::read_line(operation& op, slot& s) {
  const schedule::step& what = s.what;
  board_line& line = op.on_team.shared->line(op.among.rank(), op.epoch, what.edge);
  if (!line.came(board::tag_of(op.epoch))) {
    op.stir(s);
    return false;
  }
  if (what.into.bytes != 0) {
    std::memcpy(op.target(what.into), line.payload.data(), what.into.bytes);
  }
  op.complete(s);
  return true;
}

/// Lets arrivals find the receive, or takes what came before it.
bool edge_transport::post(operation& op, slot& s) {
  const edge_key key = op.key_of(s.what);
  std::optional<early> came = uses_.arrivals.take(key);
  if (!came) {
    s.told = !wire_of(op, s.what, s.what.into.bytes).asks_first();
    s.state = progress_of::posted;
    uses_.arrivals.post(key, s);
    return tell_free(op, s);
  }
  accept(s, came->what, came->bytes, came->from);
  uses_.arrivals.give_back(std::move(*came));
  return true;
}

/// A sender that puts must hear that the place is free.
bool edge_transport::tell_free(operation& op, slot& s) {
  if (s.told) return false;
  const auto sent = try_send<&handle_place_free>(
      here_, op.among.world_rank(s.what.peer), op.among.id(), op.run(), op.wire_edge(s.what.edge));
  if (sent.what != conduit::outcome::done) {
    op.stir(s);
    return false;
  }
  s.told = true;
  return true;
}

void edge_transport::accept(slot& s, arrived what, std::span<const std::byte> bytes,
                            const offer& from) {
  switch (what) {
    case arrived::bytes:
      if (uses_.data.take(s, bytes)) s.of->complete(s);
      break;
    case arrived::landed: s.of->complete(s); break;
    case arrived::offered:
      s.offered = from;
      s.state = progress_of::came;
      s.of->stir(s);
      break;
  }
}

bool edge_transport::fetch(operation& op, slot& s) {
  const bool exposed = s.offered.memory.rank >= 0;
  const std::uint64_t bytes = exposed ? s.offered.memory.bytes : s.offered.source.bytes;
  if (!uses_.data.fits(s, bytes)) return false;
  std::span<std::byte> to(op.target(s.what.into), bytes);
  if (s.what.header.count != 0 || s.what.length_slot != schedule::step::no_slot) {
    s.staged.resize(bytes);
    to = s.staged;
  }
  s.state = progress_of::fetching;
  s.moving = exposed ? get(here_, s.offered.memory, 0, to)
                     : get(here_, global_of(op, s.what.peer, s.offered.source), to);
  return fetched(op, s);
}

bool edge_transport::fetched(operation& op, slot& s) {
  if (!s.moving.done()) {
    op.stir(s);
    return false;
  }
  const bool is_staged = s.what.header.count != 0 || s.what.length_slot != schedule::step::no_slot;
  if (is_staged && !uses_.data.take(s, s.staged)) return false;
  s.state = progress_of::fetched;
  static_cast<void>(acknowledge(op, s));
  return true;
}

bool edge_transport::acknowledge(operation& op, slot& s) {
  const auto told =
      try_send<&handle_taken>(here_, op.among.world_rank(s.what.peer), s.offered.sender);
  if (told.what != conduit::outcome::done) {
    op.stir(s);
    return false;
  }
  op.complete(s);
  return true;
}

// -- Messages -----------------------------------------------------------------------------------

void edge_transport::data_came(const edge_key& key, arrived what, std::span<const std::byte> bytes,
                               const offer& from) {
  if (slot* wanted = uses_.arrivals.claim(key)) {
    accept(*wanted, what, bytes, from);
    host(here_).act_first();
  } else if (!uses_.collects.take(key, what, bytes, from)) {
    uses_.arrivals.keep(key, what, bytes, from);
  }
}

void edge_transport::was_taken(int receiver, std::uint64_t sender) {
  slot& s = uses_.slots.waiting(here_, receiver, sender, progress_of::offered);
  if (s.exposed) conceal(here_, s.offered.memory);
  s.exposed = false;
  s.offered.sender = 0;
  s.of->complete(s);
  host(here_).act_first();
}

void edge_transport::place_is_free(const edge_key& key) {
  slot* waits = uses_.arrivals.place_is_free(key);
  if (waits == nullptr) return;
  waits->of->stir(*waits);
  host(here_).act_first();
}

}  // namespace upwash::collective::detail
