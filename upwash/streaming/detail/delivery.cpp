// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What comes to a stream: records for this member, records on their way, and what it pushed for
// itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/streaming/detail/engine.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash::streaming {
namespace {

/// Messages of handlers, or in order, that may wait for credit before pushing goes on.
constexpr std::size_t most_deferred = 8;
/// And before handing over does.
constexpr std::size_t most_deferred_by_handlers = 64;
/// Records that are handed over at once in a stream whose handlers have been ahead.
constexpr std::size_t most_a_piece = 256;
/// Bytes of large items that others have still to fetch, before handing over waits for them.
constexpr std::size_t most_offered = std::size_t{4} << 20U;

}  // namespace

void engine::received(content kind, const common_part& common, std::span<const std::byte> payload) {
  if (is_routed(kind)) {
    // The same again from here, whatever this member's own items have in common.
    const common_part own = common_;
    set_common(common);
    route(kind, payload);
    set_common(own);
    hand_over_own();
  } else {
    hand_over(kind, common, payload);
  }
}

/// In one piece, but where handlers have been ahead of those who take what they send: that would
/// lie in memory that no cache holds, and records wait in its place.
void engine::hand_over(content kind, const common_part& common,
                       std::span<const std::byte> records) {
  if (with_.ordered || kind == content::alone) {
    hand_over_piece(kind, common, records);
    return;
  }
  while (!records.empty()) {
    if (is_ahead()) return keep_for_later(kind, common, records);
    const std::span<const std::byte> piece = records.first(bytes_of_piece(records));
    records = records.subspan(piece.size());
    const std::uint64_t items = hand_over_piece(kind, common, piece);
    if (is_ahead()) piece_ = std::clamp<std::size_t>(items / 16, 1, most_a_piece);
  }
  if (piece_ < most_a_piece && !is_ahead()) piece_ *= 2;
}

std::uint64_t engine::hand_over_piece(content kind, const common_part& common,
                                      std::span<const std::byte> records) {
  const std::uint64_t items = to_.deliver(kind, common, records);
  host(here_).charge(conduit::cost::push, items);
  account_.delivered(items);
  return items;
}

/// Of so many records, or of all. Their lengths are looked at only where that may not be all.
std::size_t engine::bytes_of_piece(std::span<const std::byte> records) const {
  if (record_bytes_ != 0) return std::min(records.size(), piece_ * record_bytes_);
  if (records.size() <= piece_ * word_bytes) return records.size();
  std::span<const std::byte> rest = records;
  for (std::size_t i = 0; i < piece_ && !rest.empty(); ++i) {
    static_cast<void>(take_record(rest, content::arrived, 0));
  }
  return records.size() - rest.size();
}

bool engine::is_ahead() const {
  return home_.large().offered_bytes() > most_offered ||
         host(here_).deferred() > most_deferred_by_handlers;
}

void engine::keep_for_later(content kind, const common_part& common,
                            std::span<const std::byte> records) {
  batch rest{buffers_.new_room(records.size())};
  std::memcpy(rest.memory.bytes.get(), records.data(), records.size());
  rest.used = records.size();
  rest.memory.common = common;
  rest.kind = kind;
  rest.hop = here_.rank();
  own_.keep(std::move(rest));
  home_.wake();
}

/// Those for this member go into its own buffer, to be handed over together.
void engine::route(content kind, std::span<const std::byte> payload) {
  while (!payload.empty()) {
    const record next = take_record(payload, kind, record_bytes_);
    const bool mine = next.destination == among_.rank();
    const std::uint32_t way = mine ? ways_.own() : ways_.onward(kind, next.destination);
    account_.rerouted(!mine);
    if (record_bytes_ != 0) {
      place(way, next.destination, next.bytes);
    } else {
      place_with_length(way, next.destination, next.bytes);
    }
  }
  if (const std::uint32_t own = ways_.own(); buffers_[own].first != nullptr) {
    own_.keep(counted(buffers_.take(own)));
  }
}

void engine::set_common(const common_part& common) {
  if (common == common_) return;
  common_ = common;
  buffers_.take_only(common);
}

/// Those that are full now: handlers may fill more.
int engine::hand_over_own() {
  const auto count = static_cast<int>(own_.size());
  int done = 0;
  delivering_own_ = true;
  for (; done < count && (with_.ordered || !is_ahead()); ++done) {
    batch next = own_.take();
    hand_over(next.kind, next.memory.common, next.bytes());
    buffers_.give_back(std::move(next.memory));
  }
  delivering_own_ = false;
  return done;
}

/// Not in a handler, nor in itself: what is pushed there waits for the next progress.
int engine::deliver_own() {
  if (own_.empty() || delivering_own_ || here_.in_handler()) return 0;
  int count = 0;
  host(here_).run_as_handler([&] { count = hand_over_own(); });
  return count;
}

/// What its handlers sent may wait for credit; so does who pushes, then.
void engine::deliver_own_and_wait() {
  if (deliver_own() != 0) wait_for_deferred();
}

void engine::wait_for_deferred() {
  if (host(here_).deferred() <= most_deferred) return;
  const wait_reason reason = sending_to(-1);
  const wait_scope in(here_, reason);
  ++waiting_;
  while (host(here_).deferred() > most_deferred) {
    host(here_).wait(conduit::wait_target::credit(-1, conduit::lane::request), reason);
  }
  --waiting_;
}

void engine::handler_threw(std::uint64_t before, const char* what) const {
  throw error(error_kind::fault,
              fmt::format("rank {}: stream {}: the handler of item {} threw: {}", here_.rank(),
                          name_.number, account_.delivered() + before + 1, what));
}

}  // namespace upwash::streaming
