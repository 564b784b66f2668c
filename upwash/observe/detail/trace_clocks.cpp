// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/observe/detail/trace_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "upwash/observe/trace_files.hpp"

namespace upwash::observe::detail {
namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_apart_ps = std::int64_t{1} << 59U;  ///< so that no sum wraps

std::string host_of(const traced_rank& rank) {
  const auto& text = rank.head.host;
  return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

void move(traced_rank& rank, std::int64_t by) {
  for (trace_event& e : rank.events) e.begin_ps += by;
}

/// Since 1970, in picoseconds: more than 64 bits hold.
__extension__ using world_time = __int128;

/// Each host by the world's clock, as its first rank read it; against the first of all.
void set_by_world(trace& all) {
  std::map<std::string, std::int64_t> epochs;
  const auto begin_of = [&epochs](const traced_rank& rank) {
    const std::int64_t epoch = epochs.emplace(host_of(rank), rank.head.epoch_ns).first->second;
    return world_time{epoch} * 1000 + rank.head.zero_ps;
  };
  const world_time first = begin_of(all.ranks.front());
  for (traced_rank& rank : all.ranks) {
    const world_time ahead = begin_of(rank) - first;
    if (ahead > -most_apart_ps && ahead < most_apart_ps) {
      move(rank, static_cast<std::int64_t>(ahead));
    } else {
      all.faults.push_back(fmt::format(
          "rank {}: its clock is more than a week off; it is left as it is", rank.head.rank));
    }
  }
}

/// A message: from, to, lane, number.
using message_key = std::tuple<int, int, int, std::uint32_t>;

/// The shortest way of a message from the first host to that of `other`, and back.
struct ways {
  std::int64_t there = none;
  std::int64_t back = none;
};

ways shortest(const trace& all, const std::string& first, const std::string& other) {
  std::map<message_key, std::int64_t> gone;
  const auto walk = [&](trace_kind kind, const auto& take) {
    for (const traced_rank& rank : all.ranks) {
      const std::string host = host_of(rank);
      if (host != first && host != other) continue;
      for (const trace_event& e : rank.events) {
        if (e.kind == kind) take(rank, host, e);
      }
    }
  };
  walk(trace_kind::send, [&](const traced_rank& rank, const std::string&, const trace_event& e) {
    gone[{rank.head.rank, e.peer, e.lane, e.number}] = e.begin_ps;
  });
  ways found;
  walk(trace_kind::arrive,
       [&](const traced_rank& rank, const std::string& host, const trace_event& e) {
         const auto sent = gone.find({e.peer, rank.head.rank, e.lane, e.number});
         if (sent == gone.end()) return;
         const auto source =
             std::ranges::find(all.ranks, e.peer, [](const traced_rank& r) { return r.head.rank; });
         if (source == all.ranks.end() || host_of(*source) == host) return;
         std::int64_t& least = host == other ? found.there : found.back;
         least = std::min(least, e.begin_ps - sent->second);
       });
  return found;
}

void set_by_messages(trace& all) {
  const std::string first = host_of(all.ranks.front());
  std::vector<std::string> others;
  for (const traced_rank& rank : all.ranks) {
    const std::string host = host_of(rank);
    if (host != first && std::ranges::find(others, host) == others.end()) others.push_back(host);
  }
  for (const std::string& host : others) {
    const ways best = shortest(all, first, host);
    if (best.there == none || best.back == none) continue;
    const std::int64_t ahead = best.there / 2 - best.back / 2;
    for (traced_rank& rank : all.ranks) {
      if (host_of(rank) == host) move(rank, -ahead);
    }
  }
}

}  // namespace

void set_clocks(trace& all) {
  if (!all.virtual_time()) {
    set_by_world(all);
    set_by_messages(all);
  }
  std::int64_t least = none;
  for (const traced_rank& rank : all.ranks) {
    for (const trace_event& e : rank.events) least = std::min(least, e.begin_ps);
  }
  if (least == none) return;
  for (traced_rank& rank : all.ranks) move(rank, -least);
}

}  // namespace upwash::observe::detail
