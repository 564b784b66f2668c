// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rank's sends: at once where there is room and credit, else acknowledged, queued (outbox.cpp)
// or offered.
#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/matching/detail/handlers.hpp"

namespace upwash::matching::detail {

void messenger::refuse_destination(const team& to, int destination, int tag) const {
  throw error(error_kind::argument,
              fmt::format("rank {}: send to {} with tag {}: destinations are 0 .. {}, tags 0 .. "
                          "2^31-1",
                          here_.rank(), destination, tag, to.size() - 1));
}

/// The common case: a short message for which there is room at its receiver, and credit. False:
/// nothing happened.
[[gnu::always_inline]] inline bool messenger::went_at_once(const team& to, int destination, int tag,
                                                           std::span<const std::byte> bytes,
                                                           mode how, std::uint16_t type) {
  if (here_.in_handler()) [[unlikely]]
    return false;
  check_destination(to, destination, tag);
  // What is asked of the team is asked in one go: behind a call it would be checked again.
  const int rank = to.world_rank(destination);
  const label with = plain_label(to.id(), to.rank(), tag, how == mode::ready, type);
  balance& other = balances_.with(rank);
  const std::uint64_t charge = charge_of(bytes.size());
  if (bytes.size() > options_.eager_bytes || other.outstanding + charge > share_ ||
      other.queued != nullptr || other.listed != nullptr) {
    return false;
  }
  other.outstanding += charge;  // first: the receiver may be in this process, and handle it at once
  if (try_send_medium<&handle_eager>(here_, rank, bytes, with).what == conduit::outcome::done)
      [[likely]] {
    return true;
  }
  other.outstanding -= charge;
  return false;
}

[[gnu::always_inline]] inline request messenger::send(const team& to, int destination, int tag,
                                                      std::span<const std::byte> bytes, mode how,
                                                      std::uint16_t type) {
  if (how != mode::synchronous && went_at_once(to, destination, tag, bytes, how, type)) [[likely]]
    return {};
  request told;
  static_cast<void>(send_to_member(to, destination, tag, bytes, how, type, {.handle = &told}));
  return told;
}

[[gnu::always_inline]] inline bool messenger::send_at_once(const team& to, int destination, int tag,
                                                           std::span<const std::byte> bytes,
                                                           mode how) {
  return how != mode::synchronous && went_at_once(to, destination, tag, bytes, how, 0);
}

bool messenger::has_room(const team& to, int destination, std::size_t bytes) {
  const balance& other = balances_.with(to.world_rank(destination));
  return bytes > options_.eager_bytes ||
         (other.outstanding + charge_of(bytes) <= share_ && other.listed == nullptr);
}

bool messenger::send(const team& to, int destination, int tag, std::span<const std::byte> bytes,
                     mode how, const notice& where) {
  if (how != mode::synchronous && went_at_once(to, destination, tag, bytes, how, 0)) [[likely]]
    return false;
  return send_to_member(to, destination, tag, bytes, how, 0, {.where = &where});
}

bool messenger::send_to_member(const team& to, int destination, int tag,
                               std::span<const std::byte> bytes, mode how, std::uint16_t type,
                               const end_of_send& told) {
  if (here_.in_handler()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: send in a handler; use active messages", here_.rank()));
  }
  check_destination(to, destination, tag);
  label with{.team = to.id(), .member = to.rank(), .tag = tag, .type = type};
  with.ready = how == mode::ready ? 1 : 0;
  return dispatch(to.world_rank(destination), with, bytes, how, told);
}

void messenger::send_edge(const team& to, int member, const edge& what,
                          std::span<const std::byte> bytes, bool acknowledged,
                          std::uint64_t& told) {
  label with{.team = to.id(), .member = to.rank(), .tag = what.tag, .kind = what.kind};
  const mode how = acknowledged ? mode::synchronous : mode::standard;
  end_of_send end{.edge = &told};
  if (bytes.empty() && !acknowledged) {
    // Nothing of the caller's is needed any more, wherever the message is kept; and schedules rely
    // on it that such a send does not wait (schedule::lower).
    told = 0;
    end = {};
  }
  static_cast<void>(dispatch(to.world_rank(member), with, bytes, how, end));
}

bool messenger::dispatch(int rank, label& with, std::span<const std::byte> bytes, mode how,
                         const end_of_send& told) {
  balance& other = balances_.with(rank);
  const bool room = other.outstanding + charge_of(bytes.size()) <= share_;
  const bool in_line = other.listed != nullptr &&
                       !contexts_.promised(contexts_.of(with.team, with.kind)).allow_overtaking;
  if (bytes.size() > options_.eager_bytes || !room || in_line) {
    if (bytes.size() <= options_.eager_bytes) ++without_room_;
    offer(rank, with, bytes, told);
    return true;
  }
  other.outstanding += charge_of(bytes.size());
  sending* s = nullptr;
  if (how == mode::synchronous) {
    s = &new_sending(rank, with, bytes.size(), told);
    with.sender = name_of(*s);
  }
  if (other.queued == nullptr && try_send_medium<&handle_eager>(here_, rank, bytes, with).what ==
                                     conduit::outcome::done) [[likely]] {
    if (s == nullptr && told.edge != nullptr) *told.edge = 0;
    return s != nullptr;
  }
  if (s == nullptr) {
    s = &new_sending(rank, with, bytes.size(), told);
    s->acknowledged = false;
  }
  s->whole = true;
  s->bytes = bytes;
  queue(*s, other, with);
  return true;
}

sending& messenger::new_sending(int rank, const label& with, std::size_t bytes,
                                const end_of_send& told) {
  sending& s = *sends_.take();
  s.edge = told.edge;
  const conduit::wait_reason reason{
      .operation = "send", .peer = rank, .tag = with.tag, .bytes = bytes, .team = with.team};
  if (told.where != nullptr) s.end = begin_operation(here_, *told.where, reason);
  if (told.handle != nullptr) {
    auto begun = begin_operation(here_, reason);
    *told.handle = std::move(begun.handle);
    s.end = begun.end;
  }
  s.what = envelope_of(with);
  s.name = 0;
  s.memory = {};
  s.memory.bytes = bytes;
  s.team = with.team;
  s.type = with.type;
  s.rank = rank;
  s.offered = false;
  s.acknowledged = true;
  s.whole = false;
  return s;
}

/// Only the envelope is sent; the receiver fetches the rest. Where it has no room for one more, or
/// this rank keeps messages for it already, this one is kept listed too.
void messenger::offer(int rank, label& with, std::span<const std::byte> bytes,
                      const end_of_send& told) {
  balance& other = balances_.with(rank);
  sending& s = new_sending(rank, with, bytes.size(), told);
  if (!bytes.empty()) s.memory = expose(here_, bytes);
  with.sender = name_of(s);
  if (other.listed != nullptr || other.offered >= envelopes_) {
    with.listed = 1;
    list(s, other);
  } else {
    s.offered = true;
    ++other.offered;
  }
  if (other.queued != nullptr || !inject_offer(s, with)) queue(s, other, with);
}

}  // namespace upwash::matching::detail

namespace upwash::matching {

// Here, where what it calls is no call.
request send(const team& to, int destination, int tag, std::span<const std::byte> bytes, mode how,
             item_type items) {
  return detail::messenger::on(to).send(to, destination, tag, bytes, how, items.code);
}

bool send_at_once(const team& to, int destination, int tag, std::span<const std::byte> bytes,
                  mode how) {
  return detail::messenger::on(to).send_at_once(to, destination, tag, bytes, how);
}

}  // namespace upwash::matching
