// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the records of a stream leave: in messages, in order, by tickets, through buffers of the
// node.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/observe/trace_writer.hpp"
#include "upwash/streaming/detail/engine.hpp"
#include "upwash/streaming/detail/node_buffers.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash::streaming {
namespace {

constexpr std::size_t look_after = 8192;  ///< bytes sent
/// In a handler. Above, to copy once costs less than to take part in the turns of messages.
constexpr std::size_t most_in_pieces = std::size_t{256} << 10U;

}  // namespace

/// The buffer is empty before the message leaves: handlers that run meanwhile may fill it.
void engine::send_buffer(std::uint32_t way, cause why) {
  const bool own = buffers_[way].hop == here_.rank();
  if (with_.ordered && !own && !here_.in_handler()) return wait_and_send(way, why);
  send(buffers_.take(way), why);
}

/// Where order counts records stay in their buffer until their message has room: handlers that run
/// meanwhile, and have more for it, send them first.
void engine::wait_and_send(std::uint32_t way, cause why) {
  const int hop = buffers_[way].hop;
  const wait_reason reason = sending_to(hop);
  const wait_scope in(here_, reason);
  ++waiting_;
  while (buffers_[way].first != nullptr && !try_send(way, why)) {
    host(here_).wait(conduit::wait_target::credit(hop, conduit::lane::request), reason);
  }
  --waiting_;
  look_at_arrivals(parameters_.effective_bytes);
}

batch engine::counted(batch&& what) {
  account_.left(what.items, what.used);
  host(here_).charge(conduit::cost::push, what.items);
  host(here_).charge(conduit::cost::copy, what.used);
  return std::move(what);
}

wait_reason engine::sending_to(int hop) const {
  return {.operation = "push into the stream opened", .peer = hop, .site = opened_at_};
}

void engine::send(batch&& taken, cause why) {
  batch what = counted(std::move(taken));
  const wait_scope in(here_, sending_to(what.hop));
  if (what.hop == here_.rank()) {
    own_.keep(std::move(what));
    home_.wake();
    return deliver_own_and_wait();
  }
  const departure leaving{why,        what.kind,          what.hop,    what.items,
                          what.since, what.memory.common, what.bytes()};
  if (with_.ordered) {
    send_in_order(leaving);
  } else {
    send_now(leaving);
  }
  buffers_.give_back(std::move(what.memory));
  look_at_arrivals(what.used);
}

/// What is too long for a message goes in pieces, whose room one may wait for. In a handler one
/// must not: many would have to be queued, so that the receiver fetches them, but where order
/// counts.
bool engine::wants_ticket(std::size_t bytes) const {
  return bytes > message_bytes_ && !with_.ordered && here_.in_handler() &&
         (bytes > most_in_pieces || is_ahead());
}

void engine::offer(int destination, std::span<const std::byte> record) {
  batch what{home_.large().room_for(record.size())};
  std::memcpy(what.memory.bytes.get(), record.data(), record.size());
  what.memory.common = common_;
  what.used = record.size();
  what.items = 1;
  what.hop = among_.world_rank(destination);
  what.kind = content::alone;
  what = counted(std::move(what));
  note({cause::fetched, what.kind, what.hop, what.items, what.since, what.memory.common,
        what.bytes()});
  home_.large().offer(name_, std::move(what));
}

/// In a handler, or too large for a buffer. Sent as by a handler, so that it never waits here:
/// handlers that ran meanwhile would send what overtakes it. Core keeps the order.
void engine::send_in_order(const departure& what) {
  host(here_).run_as_handler([&] { send_now(what); });
  if (!here_.in_handler()) wait_for_deferred();
}

/// Peers wait for the room of what they sent: who only pushes takes it, too.
void engine::look_at_arrivals(std::size_t sent) {
  unlooked_ += sent;
  if (unlooked_ < look_after || here_.in_handler() || waiting_ != 0) return;
  unlooked_ = 0;
  ++waiting_;
  here_.progress();
  --waiting_;
}

void engine::send_now(const departure& what) {
  ++waiting_;
  if (has_common_) {
    send_medium<&handle_records_with>(here_, what.hop, what.bytes, name_, what.kind, what.common);
  } else {
    send_medium<&handle_records>(here_, what.hop, what.bytes, name_, what.kind);
  }
  --waiting_;
  note(what);
}

/// As send_buffer, where one must not wait: false, and all is as before, when there is no credit.
bool engine::try_send(std::uint32_t way, cause why) {
  const buffer& from = buffers_[way];
  if (from.hop == here_.rank()) {
    own_.keep(counted(buffers_.take(way)));  // handed over by progress
    return true;
  }
  const std::span<const std::byte> bytes(from.first, from.used());
  const auto sent =
      has_common_ ? try_send_medium<&handle_records_with>(here_, from.hop, bytes, name_, from.kind,
                                                          buffers_.common_of(way))
                  : try_send_medium<&handle_records>(here_, from.hop, bytes, name_, from.kind);
  if (sent.what != conduit::outcome::done) return false;
  batch gone = counted(buffers_.take(way));
  note({why, gone.kind, gone.hop, gone.items, gone.since, gone.memory.common, gone.bytes()});
  buffers_.give_back(std::move(gone.memory));
  return true;
}

void engine::note(const departure& what) {
  account_.sent(what.why, what.bytes.size());
  if (observer_ != nullptr) observer_->sent(what);
  if (trace_ != nullptr) write_down(what);
}

void engine::write_down(const departure& what) {
  constexpr std::size_t whole = 1000;
  const std::size_t fill = what.bytes.size() * whole / parameters_.effective_bytes;
  trace_->next() = {.begin_ps = here_.now().ps(),
                    .bytes = what.bytes.size(),
                    .peer = what.hop,
                    .number = what.items,
                    .name = trace_->name("batch", to_string(what.why), opened_at_),
                    .kind = observe::trace_kind::batch,
                    .team = static_cast<std::uint16_t>(std::min<std::size_t>(fill, UINT16_MAX))};
}

/// Into a buffer of the node. False: they are closed just now, or the record is too long.
bool engine::share(int destination, std::span<const std::byte> record) {
  // Counted at once: another member may send it, and a wave come by while this one waits below.
  const auto put = [&] {
    if (!node_->put(destination, record)) return false;
    account_.left(1, record.size());
    account_.shared();
    host(here_).charge(conduit::cost::push, 1);
    return true;
  };
  bool taken = put();
  if (node_->sending()) {
    const int sent = send_shared();
    if (!taken && sent != 0) taken = put();
    if (sent != 0) look_at_arrivals(look_after);
  }
  home_.wake();
  return taken;
}

int engine::send_shared() {
  return node_->send_closed([this](const node_buffers::closed& what) {
    send_now(
        {what.why, on_grid(1), among_.world_rank(what.receiver), what.items, {}, {}, what.bytes});
  });
}

}  // namespace upwash::streaming
