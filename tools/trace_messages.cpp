// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_messages.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace upwash::tools {
namespace {

using observe::trace_event;
using observe::trace_kind;
using observe::traced_rank;

/// Of the messages from one source to one rank: lane and number.
std::uint64_t key_of(const trace_event& e) { return std::uint64_t{e.lane} << 32U | e.number; }

/// The arrivals of a rank by source and key.
struct arrivals {
  const traced_rank* rank = nullptr;
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, const trace_event*>> from;
  std::unordered_map<const trace_event*, std::uint32_t> tags;
};

/// A handler's events stand before its message, which is written when it is over.
void take_arrivals(const traced_rank& rank, arrivals& here) {
  const trace_event* tagged = nullptr;
  for (const trace_event& e : rank.events) {
    if (e.kind == trace_kind::tagged) tagged = &e;
    if (e.kind != trace_kind::arrive || e.peer < 0) continue;
    here.from[static_cast<std::uint64_t>(e.peer)][key_of(e)] = &e;
    if (tagged != nullptr && tagged->peer == e.peer && tagged->begin_ps >= e.begin_ps) {
      here.tags[&e] = tagged->number;
    }
    tagged = nullptr;
  }
}

}  // namespace

void for_each_message(const observe::trace& of, function_ref<void(const traced_message&)> take) {
  std::unordered_map<int, arrivals> by_rank;
  for (const traced_rank& rank : of.ranks) {
    arrivals& here = by_rank[rank.head.rank];
    here.rank = &rank;
    take_arrivals(rank, here);
  }
  for (const traced_rank& rank : of.ranks) {
    const auto source = static_cast<std::uint64_t>(rank.head.rank);
    for (const trace_event& e : rank.events) {
      if (e.kind != trace_kind::send || e.peer < 0) continue;
      traced_message m{&rank, &e, nullptr, nullptr, {}};
      if (const auto there = by_rank.find(e.peer); there != by_rank.end()) {
        const auto from = there->second.from.find(source);
        if (from != there->second.from.end()) {
          if (const auto found = from->second.find(key_of(e)); found != from->second.end()) {
            m.destination = there->second.rank;
            m.arrived = found->second;
            const auto tag = there->second.tags.find(m.arrived);
            if (tag != there->second.tags.end()) m.tag = tag->second;
          }
        }
      }
      take(m);
    }
  }
}

}  // namespace upwash::tools
