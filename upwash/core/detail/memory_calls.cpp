// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of handlers that layers above registered: beginning them, serving them, their answers.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/detail/memory_engine.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_handler.hpp"

namespace upwash::detail {
namespace {

/// Messages that bring the largest answer, as far as the owner may have to keep them.
std::size_t pieces_of(std::size_t room, std::size_t medium) noexcept {
  return (room + medium - 1) / medium;
}

}  // namespace

void memory_engine::add_handler(const memory_row& row) {
  const auto held = lock();
  memory_row entered = row;
  entered.serve = [](memory_engine& e, const memory_row& its, const conduit::message& m) {
    e.serve_call(its, m);
  };
  rows_.add(entered, here_.rank());
}

/// Where the conduit moves data by itself a message would overtake it: what is to be behind puts
/// goes when those before it are complete, and their signals are on the way. Whatever was begun
/// behind it to that peer waits, too.
bool memory_engine::is_behind_puts(operation& op) {
  enum { begun, waits, is_behind };
  const int rank = op.what.at.rank;
  if (op.steps_done == begun) {
    op.step.hook.tell = &memory_engine::call_hook;
    const auto flush = peers_.of(rank).remote_write
                           ? endpoint_.flush(here_.rank(), rank, &op.step.hook)
                           : conduit::injection::done();
    if (flush.what == conduit::outcome::retry) return false;
    op.steps_done = flush.what == conduit::outcome::done ? is_behind : waits;
  }
  return op.steps_done == is_behind && records_[rank].signals_due == 0;
}

bool memory_engine::start_call(operation& op) {
  if (!is_behind_puts(op)) return false;
  const transfer& what = op.what;
  const int rank = what.at.rank;
  const conduit::peer_capabilities& can = peers_.of(rank);
  const std::size_t pieces = pieces_of(what.room, can.medium_bytes);
  if (!may_owe(rank, pieces)) return false;
  op.remote.open = true;  // the answer ends it, whether or not anybody asked to be told
  memory_line line(name_of(op), what.at.region, what.at.offset);
  line.append(what.call.arguments.data(), what.call.size);
  if (!request(rank, what.call.number, line, {what.from, what.bytes})) return false;
  owed_answers& owes = owed_[rank];
  owes.calls += pieces;
  op.questions = owes.questions;
  if (op.local.open) told(op.local);
  return true;
}

/// What an owner keeps where answers find no credit is bounded. It keeps nothing for calls that are
/// to be answered later; these are told from the others by a question: the memory lane keeps order,
/// so what is still open when it is answered was put off.
bool memory_engine::may_owe(int rank, std::size_t pieces) {
  owed_answers& owes = owed_[rank];
  const std::size_t now = owes.all();
  if (pieces == 0 || now == 0 || now + pieces <= most_owed) return true;
  if (owes.calls != 0 && !owes.asking && request(rank, memory_code::served_wanted, memory_line())) {
    owes.asking = true;
    ++owes.questions;
    owes.asked = std::exchange(owes.calls, 0);
  }
  return false;
}

void memory_engine::take_served(int rank) {
  owed_answers& owes = owed_[rank];
  ensure(owes.asking, "an owner answers a question that was asked", rank);
  owes.asking = false;
  owes.asked = 0;
}

void memory_engine::settle_owed(const operation& op) {
  owed_answers& owes = owed_[op.what.at.rank];
  const std::size_t pieces = pieces_of(op.what.room, peers_.of(op.what.at.rank).medium_bytes);
  if (op.questions == owes.questions) {
    owes.calls -= pieces;
  } else if (owes.asking && op.questions + 1 == owes.questions) {
    owes.asked -= pieces;
  }  // else it was put off
}

/// It stands first in its queue, where progress finds it.
void memory_engine::call_hook(conduit::completion& told) noexcept {
  operation& op = *reinterpret_cast<stage&>(told).of;
  const auto held = op.engine->lock();
  ++op.steps_done;
}

void memory_engine::serve_call(const memory_row& row, const conduit::message& m) {
  std::uint64_t name = 0;
  std::uint64_t region = 0;
  std::uint64_t offset = 0;
  constexpr std::size_t own = sizeof name + sizeof region + sizeof offset;
  if (m.arguments.size() != own + row.argument_bytes) {
    throw error(error_kind::fault,
                fmt::format("rank {}: rank {} calls memory handler {} with a line of {} bytes, it "
                            "takes {}; register the same handler under a name at all ranks",
                            here_.rank(), m.source, row.name, m.arguments.size(),
                            own + row.argument_bytes));
  }
  unpack(m.arguments, name, region, offset);
  static_cast<void>(owned(region, offset, 0, m.source));
  memory_call call(*this, m, name, *regions_.find(region), offset);
  try {
    row.run(call, m.arguments.subspan(own), row.state);
  } catch (const std::exception& e) {
    throw error(error_kind::fault, fmt::format("rank {}: memory handler {} for rank {} threw: {}",
                                               here_.rank(), row.name, m.source, e.what()));
  }
  if (call.open_) give_answer(m.source, name, {});
}

void memory_engine::give_answer(int rank, std::uint64_t name, std::span<const std::byte> bytes) {
  const std::uint64_t total = bytes.size();
  const std::size_t most = peers_.of(rank).medium_bytes;
  std::uint64_t position = 0;
  do {
    const auto piece = bytes.subspan(position, std::min<std::size_t>(most, total - position));
    reply(rank, memory_code::answer, memory_line(name, position, total), piece);
    position += piece.size();
  } while (position < total);
}

void memory_engine::take_answer(const conduit::message& m) {
  std::uint64_t name = 0;
  std::uint64_t position = 0;
  std::uint64_t total = 0;
  unpack(m.arguments, name, position, total);
  operation& op = named_by(m.source, name, transfer::kind::call);
  if (total > op.what.room || position > total || m.payload.size() > total - position) {
    const memory_row* row = rows_.find(op.what.call.number);
    throw error(
        error_kind::fault,
        fmt::format("rank {}: memory handler {} at rank {} answers with {} bytes, and there "
                    "is room for {}; give the call room for all that its handler answers",
                    here_.rank(), row == nullptr ? "(not registered here)" : row->name, m.source,
                    total, op.what.room));
  }
  if (!m.payload.empty()) {
    std::memcpy(op.what.into + position, m.payload.data(), m.payload.size());
  }
  op.acknowledged += m.payload.size();
  if (op.acknowledged != total) return;
  settle_owed(op);
  if (op.what.answered != nullptr) *op.what.answered = total;
  told(op.remote);
}

}  // namespace upwash::detail
