// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages, as they come: they find the step that waits for them, or are kept for it.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {
namespace {

executor& executor_of(const incoming& in) { return in.here().service<executor>(); }

template <class T>
T value_in(std::span<const std::byte> payload) {
  T value;
  std::memcpy(&value, payload.data(), sizeof value);
  return value;
}

}  // namespace

void handle_eager(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge,
                  std::uint64_t sender) {
  executor_of(in).data_came({team, run, edge, in.source()}, early::kind::bytes, in.payload(), {});
  if (sender != 0) in.reply<&handle_taken>(sender);
}

void handle_offer(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge) {
  executor_of(in).data_came({team, run, edge, in.source()}, early::kind::offered, {},
                            value_in<offer>(in.payload()));
}

void handle_landed(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge) {
  executor_of(in).data_came({team, run, edge, in.source()}, early::kind::landed, {}, {});
}

void handle_taken(incoming& in, std::uint64_t sender) {
  executor_of(in).was_taken(in.source(), sender);
}

void handle_place_free(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge) {
  executor_of(in).place_is_free({team, run, edge, in.source()});
}

void handle_count(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t counter) {
  executor_of(in).counted({team, run}, counter);
}

void handle_watch(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t counter,
                  std::uint64_t value, std::uint64_t asker) {
  executor_of(in).watched({team, run}, {in.source(), counter, value, asker});
}

void handle_reached(incoming& in, std::uint64_t asker) {
  executor_of(in).reached(in.source(), asker);
}

void handle_where(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t buffer,
                  std::uint64_t asker) {
  executor_of(in).memory_asked(
      {{team, run}, static_cast<schedule::buffer>(buffer), in.source(), asker});
}

void handle_here(incoming& in, std::uint64_t asker) {
  executor_of(in).memory_told(in.source(), asker, value_in<exposed_memory>(in.payload()));
}

void handle_agreement(incoming& in) { executor_of(in).agreed(value_in<agreement>(in.payload())); }

/// Data for an edge: its receive takes it, or a collect, or it is kept.
void executor::data_came(const edge_key& key, early::kind what, std::span<const std::byte> bytes,
                         const offer& from) {
  if (const auto wanted = posted_.find(key); wanted != posted_.end()) {
    slot& s = *wanted->second;
    posted_.erase(wanted);
    accept(s, what, bytes, from);
    here_.act_first();
    return;
  }
  operation* op = find({key.team, key.run});
  if (op != nullptr && op->collects(key.edge)) return collect(*op, key, what, bytes, from);
  early_.emplace(key, early{what, {bytes.begin(), bytes.end()}, from});
}

slot& executor::named_by(int peer, std::uint64_t name, progress_of state) const {
  slot* s = spare_slots_.named(name);
  if (s != nullptr && s->state == state) return *s;
  throw error(error_kind::fault,
              fmt::format("rank {}: rank {} tells of step {:#x} of a collective, which {}; its "
                          "memory or its messages are damaged",
                          here_.rank(), peer, name,
                          s == nullptr ? "is not under way here" : "does not wait for that"));
}

void executor::reached(int teller, std::uint64_t asker) {
  slot& s = named_by(teller, asker, progress_of::asked);
  s.of->complete(s);
}

void executor::was_taken(int receiver, std::uint64_t sender) {
  slot& s = named_by(receiver, sender, progress_of::offered);
  if (s.exposed) conceal(here_, s.offered.memory);
  s.exposed = false;
  s.offered.sender = 0;
  s.of->complete(s);
  here_.act_first();
}

void executor::place_is_free(const edge_key& key) {
  free_places_.insert(key);
  const auto waits = wait_for_place_.find(key);
  if (waits == wait_for_place_.end()) return;
  slot& s = *waits->second;
  wait_for_place_.erase(waits);
  s.of->stir(s);
  here_.act_first();
}

/// Whether the sender may put now; else the receiver's word opens the step.
bool executor::take_place(operation& op, slot& s) {
  const edge_key key = op.key_of(s.what);
  if (free_places_.erase(key) != 0) return true;
  wait_for_place_[key] = &s;
  return false;
}

// -- Collecting ---------------------------------------------------------------------------------

void executor::hand_over(operation& op, int member, std::span<const std::byte> bytes) {
  const arrival& to = op.buffers.collected;
  to.take(member, bytes, to.context);
}

void executor::collect(operation& op, const edge_key& key, early::kind what,
                       std::span<const std::byte> bytes, const offer& from) {
  collecting_edge& edge = op.collecting[key.edge];
  ++edge.came;
  if (edge.closes != nullptr) op.stir(*edge.closes);
  if (what == early::kind::bytes) return hand_over(op, op.among.member_of(key.source), bytes);
  op.fetches.push_back({key.source, from, {}, {}, false});
  op.stirred = true;
}

/// Takes from now on, and what came before.
bool executor::open_collect(operation& op, slot& s) {
  if (op.rules.forced == schedule::mechanism::matched) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {}: mechanism matched needs a known number of messages; "
                            "choose another for sparse exchanges",
                            here_.rank(), op.how.agreed.operation));
  }
  const std::uint64_t edge = op.wire_edge(s.what.edge);
  op.collecting[edge] = {};
  auto at = early_.lower_bound({op.among.id(), op.run(), edge, INT_MIN});
  while (at != early_.end() && at->first.team == op.among.id() && at->first.run == op.run() &&
         at->first.edge == edge) {
    const edge_key key = at->first;
    const early came = std::move(at->second);
    at = early_.erase(at);
    collect(op, key, came.what, came.bytes, came.from);
  }
  op.complete(s);
  return true;
}

bool executor::close_collect(operation& op, slot& s) {
  const auto edge = op.collecting.find(op.wire_edge(s.what.edge));
  const std::uint64_t came = edge->second.came;
  const bool all_here = !s.what.counted || s.what.acknowledged || came >= s.what.value;
  if (!op.fetches.empty() || !all_here) {
    edge->second.closes = &s;
    return false;
  }
  if (s.what.counted && came != s.what.value) {
    throw error(error_kind::fault,
                fmt::format("rank {}: {} by {}: {} messages came where {} were announced; announce "
                            "one for each that members send to this rank, or none",
                            here_.rank(), op.how.agreed.operation, op.how.agreed.algorithm, came,
                            s.what.value));
  }
  op.collecting.erase(edge);
  op.complete(s);
  return true;
}

bool executor::deliver(operation& op, slot& s) {
  hand_over(op, s.what.peer, {op.source(s.what.left), s.what.left.bytes});
  op.complete(s);
  return true;
}

/// Fetches what was offered to a collect, hands it over, and tells the senders.
int executor::advance_fetches(operation& op) {
  int moved = 0;
  for (auto each = op.fetches.begin(); each != op.fetches.end();) {
    if (!each->begun) {
      const offer& from = each->from;
      const bool exposed = from.memory.rank >= 0;
      each->bytes.resize(exposed ? from.memory.bytes : from.source.bytes);
      each->begun = true;
      each->moving = exposed
                         ? get(here_, from.memory, 0, each->bytes)
                         : get(here_, global_of(op, op.among.member_of(each->source), from.source),
                               each->bytes);
    }
    const bool told = each->moving.done() &&
                      try_send<&handle_taken>(here_, each->source, each->from.sender).what ==
                          conduit::outcome::done;
    if (!told) {
      op.stirred = true;
      ++each;
      continue;
    }
    hand_over(op, op.among.member_of(each->source), each->bytes);
    each = op.fetches.erase(each);
    ++moved;
  }
  if (moved != 0 && op.fetches.empty()) {
    for (const auto& [number, edge] : op.collecting) {
      if (edge.closes != nullptr) op.stir(*edge.closes);
    }
  }
  return moved;
}

}  // namespace upwash::collective::detail
