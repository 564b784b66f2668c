// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/collector.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/edge_data.hpp"
#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {
namespace {

void hand_over(operation& op, int member, std::span<const std::byte> bytes) {
  const collect_handler& to = op.buffers.collected;
  to.take(member, bytes, to.context);
}

}  // namespace

bool collector::take(const edge_key& key, arrived what, std::span<const std::byte> bytes,
                     const offer& from) {
  operation* op = running_.find(key.operation());
  if (op == nullptr || !op->collects(key.edge)) return false;
  collect(*op, key, what, bytes, from);
  return true;
}

void collector::collect(operation& op, const edge_key& key, arrived what,
                        std::span<const std::byte> bytes, const offer& from) {
  collecting_edge& edge = op.collecting[key.edge];
  ++edge.came;
  if (edge.closes != nullptr) op.stir(*edge.closes);
  if (what == arrived::bytes) return hand_over(op, op.among.member_of(key.source), bytes);
  op.fetches.push_back({key.source, from, {}, {}, false});
  op.stirred = true;
}

bool collector::open(operation& op, slot& s) {
  if (op.rules.forced == schedule::mechanism::matched) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {}: mechanism matched needs a known number of messages; "
                            "choose another for sparse exchanges",
                            here_.rank(), op.how.agreed.operation));
  }
  const std::uint64_t edge = op.wire_edge(s.what.edge);
  op.collecting[edge] = {};
  for (auto& [key, came] :
       arrivals_.take_of_any_source({op.among.id(), op.run(), edge, op.among.here().rank()})) {
    collect(op, key, came.what, came.bytes, came.from);
    arrivals_.give_back(std::move(came));
  }
  op.complete(s);
  return true;
}

bool collector::close(operation& op, slot& s) {
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

bool collector::deliver(operation& op, slot& s) {
  hand_over(op, s.what.peer, {op.source(s.what.left), s.what.left.bytes});
  op.complete(s);
  return true;
}

int collector::advance_fetches(operation& op) {
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
