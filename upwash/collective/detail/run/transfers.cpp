// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How edges travel: over a line of the team's board, eagerly, by a put with a signal, or offered,
// fetched and acknowledged.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {
namespace {

std::uint64_t header_bytes(const schedule::step& s) {
  return std::uint64_t{s.header.count} * sizeof(std::uint64_t);
}

/// Of a message that is here.
std::uint64_t header_bytes_in(const schedule::step& s, std::span<const std::byte> message) {
  if (!s.counted) return header_bytes(s);
  std::uint64_t words = 0;
  std::memcpy(&words, message.data(), sizeof words);
  return words * sizeof words;
}

/// How the edge travels, as both its ends see it.
schedule::wire wire_of(const operation& op, const schedule::step& s, std::uint64_t data_bytes) {
  const std::uint64_t header = header_bytes(s);
  return lower(data_bytes + header, s.placed && header == 0, s.acknowledged, op.rules);
}

}  // namespace

bool executor::has_line(const operation& op, const schedule::step& s, std::uint64_t bytes) const {
  return op.shares_memory && op.now_in == phase::main && op.main_steps.wants().edges_apart &&
         op.main_steps.wants().slots == 0 && s.edge < board::lines &&
         bytes <= board_line::payload_bytes;
}

// -- Sending ------------------------------------------------------------------------------------

bool executor::send(operation& op, slot& s) {
  const schedule::step& what = s.what;
  if (s.state == progress_of::fetching) {  // a put
    if (!s.moving.done()) {
      op.stir(s);
      return false;
    }
    op.complete(s);
    return true;
  }
  if (s.state == progress_of::matching) return advance_matched(op, s);
  if (s.state != progress_of::waiting) return false;
  if (op.rules.forced == schedule::mechanism::matched) return send_matched(op, s);
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
    default: return send_eager(op, s);
  }
}

/// The header and the data in one piece: the data itself where there is no header.
std::span<const std::byte> executor::in_one_piece(operation& op, slot& s) {
  const schedule::step& what = s.what;
  if (what.header.count == 0) return {op.source(what.left), what.left.bytes};
  if (!s.staged.empty()) return s.staged;  // an injection that found no credit
  const auto words = std::as_bytes(op.words(what.header));
  s.staged.assign(words.begin(), words.end());
  const std::byte* data = op.source(what.left);
  s.staged.insert(s.staged.end(), data, data + what.left.bytes);
  here_.charge(conduit::cost::copy, s.staged.size());
  return s.staged;
}

bool executor::send_eager(operation& op, slot& s) {
  const schedule::step& what = s.what;
  const auto sent = try_send_medium<&handle_eager>(
      here_, op.among.world_rank(what.peer), in_one_piece(op, s), op.among.id(), op.run(),
      op.wire_edge(what.edge), what.acknowledged ? spare_slots_.name_of(s) : 0);
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

bool executor::send_put(operation& op, slot& s, bool asks_first) {
  const schedule::step& what = s.what;
  if (asks_first && !take_place(op, s)) return false;
  s.moving = send_long<&handle_landed>(here_, global_of(op, what.peer, what.into),
                                       {op.source(what.left), what.left.bytes}, op.among.id(),
                                       op.run(), op.wire_edge(what.edge));
  s.state = progress_of::fetching;
  op.stir(s);
  return true;
}

bool executor::send_offer(operation& op, slot& s, bool in_place) {
  const schedule::step& what = s.what;
  if (!s.exposed && s.offered.sender == 0) {
    s.offered = {};
    s.offered.sender = spare_slots_.name_of(s);
    if (in_place && what.header.count == 0 && what.left.of != schedule::buffer::scratch) {
      s.offered.source = what.left;
    } else {
      s.offered.memory = expose(here_, in_one_piece(op, s));
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

/// Where a piece of a member's buffers lies, when all know: as far into its region as here.
global_ptr<std::byte> executor::global_of(const operation& op, int member,
                                          const schedule::piece& p) {
  const bool input = p.of == schedule::buffer::input;
  const std::byte* base = input ? op.buffers.input.data() : op.buffers.output.data();
  const global_ptr<std::byte> here = to_global(here_, const_cast<std::byte*>(base));
  if (!here) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {}: address mode single needs the {} buffer in a region "
                            "(allocate), at the same offset on every member; use mode local "
                            "for other memory",
                            here_.rank(), op.how.agreed.operation, input ? "input" : "output"));
  }
  return {op.among.world_rank(member), here.region(), here.offset() + p.offset};
}

// -- Receiving ----------------------------------------------------------------------------------

bool executor::receive(operation& op, slot& s) {
  const schedule::step& what = s.what;
  switch (s.state) {
    case progress_of::waiting: break;
    case progress_of::posted: return tell_free(op, s);
    case progress_of::came: return fetch(op, s);
    case progress_of::fetching: return fetched(op, s);
    case progress_of::fetched: return acknowledge(op, s);
    case progress_of::matching: return advance_matched(op, s);
    default: return false;
  }
  if (op.rules.forced == schedule::mechanism::matched) return receive_matched(op, s);
  if (!has_line(op, what, what.into.bytes)) return post(op, s);
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
bool executor::post(operation& op, slot& s) {
  const edge_key key = op.key_of(s.what);
  const auto found = early_.find(key);
  if (found == early_.end()) {
    s.told = !wire_of(op, s.what, s.what.into.bytes).asks_first();
    s.state = progress_of::posted;
    posted_[key] = &s;
    return tell_free(op, s);
  }
  early came = std::move(found->second);
  early_.erase(found);
  accept(s, came.what, came.bytes, came.from);
  return true;
}

/// A sender that puts must hear that the place is free.
bool executor::tell_free(operation& op, slot& s) {
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

void executor::accept(slot& s, early::kind what, std::span<const std::byte> bytes,
                      const offer& from) {
  switch (what) {
    case early::kind::bytes:
      if (take(s, bytes)) s.of->complete(s);
      break;
    case early::kind::landed: s.of->complete(s); break;
    case early::kind::offered:
      s.offered = from;
      s.state = progress_of::came;
      s.of->stir(s);
      break;
  }
}

/// Whether so many bytes may be what the step wants: with a counted header the message will say.
bool executor::fits(slot& s, std::uint64_t came) {
  const schedule::step& what = s.what;
  const std::uint64_t header = header_bytes(what);
  const bool any = what.length_slot != schedule::step::no_slot;
  const std::uint64_t most = header + what.into.bytes;
  const std::uint64_t least = (what.counted ? sizeof header : header) + (any ? 0 : what.into.bytes);
  if (least <= came && came <= most) return true;
  misfits(s, came);
  return false;
}

/// Such a step is never done, and the next progress throws: in a handler nothing may.
void executor::misfits(slot& s, std::uint64_t came) {
  const schedule::step& what = s.what;
  s.state = progress_of::asked;
  if (!misfit_.text.empty()) return;
  misfit_ = {{s.of->among.id(), s.of->run()},
             fmt::format("{} bytes came from member {} where {} were expected ({} #{} on team "
                         "{:#x}, edge {}); the members call different collectives or sizes",
                         came, what.peer, what.into.bytes + header_bytes(what),
                         s.of->how.agreed.operation, s.of->number, s.of->among.id(), what.edge)};
}

/// The message, header first, is all here; whether it is of a length that the step wants.
bool executor::take(slot& s, std::span<const std::byte> bytes) {
  if (!fits(s, bytes.size())) return false;
  operation& op = *s.of;
  const std::uint64_t header = header_bytes_in(s.what, bytes);
  const std::uint64_t data_bytes = bytes.size() - header;
  if (header > std::min<std::uint64_t>(header_bytes(s.what), bytes.size()) ||
      data_bytes > s.what.into.bytes) {
    misfits(s, bytes.size());
    return false;
  }
  if (header != 0) std::memcpy(op.words(s.what.header).data(), bytes.data(), header);
  const auto data = bytes.subspan(header);
  if (!data.empty()) std::memcpy(op.target(s.what.into), data.data(), data.size());
  if (s.what.length_slot != schedule::step::no_slot) {
    op.words({static_cast<std::uint32_t>(s.what.length_slot), 1})[0] = data.size();
  }
  here_.charge(conduit::cost::copy, bytes.size());
  return true;
}

bool executor::fetch(operation& op, slot& s) {
  const bool exposed = s.offered.memory.rank >= 0;
  const std::uint64_t bytes = exposed ? s.offered.memory.bytes : s.offered.source.bytes;
  if (!fits(s, bytes)) return false;
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

bool executor::fetched(operation& op, slot& s) {
  if (!s.moving.done()) {
    op.stir(s);
    return false;
  }
  const bool is_staged = s.what.header.count != 0 || s.what.length_slot != schedule::step::no_slot;
  if (is_staged && !take(s, s.staged)) return false;
  s.state = progress_of::fetched;
  static_cast<void>(acknowledge(op, s));
  return true;
}

bool executor::acknowledge(operation& op, slot& s) {
  const auto told =
      try_send<&handle_taken>(here_, op.among.world_rank(s.what.peer), s.offered.sender);
  if (told.what != conduit::outcome::done) {
    op.stir(s);
    return false;
  }
  op.complete(s);
  return true;
}

}  // namespace upwash::collective::detail
