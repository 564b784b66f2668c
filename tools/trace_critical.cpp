// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/trace_messages.hpp"
#include "tools/trace_numbers.hpp"

namespace upwash::tools {
namespace {

using observe::trace_event;
using observe::trace_kind;
using observe::traced_rank;

std::int64_t end_of(const trace_event& e) {
  return e.begin_ps + static_cast<std::int64_t>(e.length_ps);
}

/// What may have let a rank go on: from then on it could, since another did that at its time.
struct cause {
  std::int64_t at = 0;  ///< at the rank
  int from = -1;
  std::int64_t from_at = 0;
  std::string_view what;
};

/// The waits and causes of each rank, by time.
class causes {
 public:
  explicit causes(const observe::trace& of) {
    for_each_message(of, [this](const traced_message& m) {
      if (m.arrived == nullptr || m.source == m.destination) return;
      of_[m.destination->head.rank].push_back(
          {m.arrived->begin_ps, m.source->head.rank, m.sent->begin_ps, "message"});
    });
    add_collectives(of);
    for (auto& [rank, all] : of_) std::ranges::stable_sort(all, {}, &cause::at);
  }

  /// The last from `since` to `until`, of those that began elsewhere before `limit`.
  [[nodiscard]] const cause* last(int rank, std::int64_t since, std::int64_t until,
                                  std::int64_t limit) const {
    const auto all = between(rank, since, until);
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
      if (at->from_at < limit) return &*at;
    }
    return nullptr;
  }
  /// The first.
  [[nodiscard]] const cause* first(int rank, std::int64_t since, std::int64_t until,
                                   std::int64_t limit) const {
    for (const cause& each : between(rank, since, until)) {
      if (each.from_at < limit) return &each;
    }
    return nullptr;
  }

 private:
  [[nodiscard]] std::span<const cause> between(int rank, std::int64_t since,
                                               std::int64_t until) const {
    const auto of = of_.find(rank);
    if (of == of_.end() || until < since) return {};
    const auto begin = std::ranges::lower_bound(of->second, since, {}, &cause::at);
    const auto end = std::ranges::upper_bound(of->second, until, {}, &cause::at);
    return {begin, end};
  }

  using call_key = std::tuple<std::string_view, std::uint16_t, std::uint32_t>;
  struct member {
    int rank;
    const trace_event* call;
  };

  /// Who waited within a call was let go on by the last to begin it.
  void add_collectives(const observe::trace& of) {
    std::map<call_key, std::vector<member>> calls;
    for (const traced_rank& rank : of.ranks) {
      for (const trace_event& e : rank.events) {
        if (e.kind != trace_kind::collective) continue;
        calls[{rank.name_of(e), e.team, e.number}].push_back({rank.head.rank, &e});
      }
    }
    for (const auto& [key, members] : calls) {
      const member last =
          *std::ranges::max_element(members, {}, [](const member& m) { return m.call->begin_ps; });
      for (const member& each : members) {
        if (each.rank == last.rank || last.call->begin_ps >= end_of(*each.call)) continue;
        of_[each.rank].push_back(
            {end_of(*each.call), last.rank, last.call->begin_ps, std::get<0>(key)});
      }
    }
  }

  std::unordered_map<int, std::vector<cause>> of_;
};

/// A rank's waits by their ends.
std::vector<const trace_event*> waits_of(const traced_rank& rank) {
  std::vector<const trace_event*> all;
  for (const trace_event& e : rank.events) {
    if (e.kind == trace_kind::wait) all.push_back(&e);
  }
  std::ranges::stable_sort(all, {}, [](const trace_event* e) { return end_of(*e); });
  return all;
}

/// A step back in time.
class back_walk {
 public:
  explicit back_walk(const observe::trace& of) : causes_(of) {
    for (const traced_rank& rank : of.ranks) {
      waits_[rank.head.rank] = waits_of(rank);
      for (const trace_event& e : rank.events) {
        if (end_of(e) < end_) continue;
        end_ = end_of(e);
        rank_ = rank.head.rank;
      }
    }
  }

  std::vector<path_part> walk() {
    std::vector<path_part> parts;
    while (rank_ >= 0 && parts.size() < most_parts) {
      const cause* by = before(rank_, end_);
      const std::int64_t begin = by == nullptr ? 0 : std::min(by->at, end_);
      parts.push_back({rank_, begin, end_, by == nullptr ? "" : std::string(by->what)});
      if (by == nullptr) break;
      rank_ = by->from;
      end_ = std::min(by->from_at, begin);
    }
    std::ranges::reverse(parts);
    return parts;
  }

 private:
  static constexpr std::size_t most_parts = 100'000;

  /// Why the rank was where it was at `until`: what ended its last wait, or what came within it, as
  /// a message whose handler sent on.
  [[nodiscard]] const cause* before(int rank, std::int64_t until) {
    auto& waits = waits_[rank];
    while (!waits.empty() && waits.back()->begin_ps >= until) waits.pop_back();
    while (!waits.empty()) {
      const std::int64_t begin = waits.back()->begin_ps;
      const std::int64_t end = end_of(*waits.back());
      if (until > end) {
        // The rank sees why a little after the wait has ended.
        const std::int64_t slack = 2'000'000 + (end - begin) / 10;
        if (const cause* by = causes_.first(rank, end, std::min(end + slack, until), until)) {
          return by;
        }
      }
      if (const cause* by = causes_.last(rank, begin, std::min(end, until), until)) return by;
      waits.pop_back();
    }
    return nullptr;
  }

  causes causes_;
  std::unordered_map<int, std::vector<const trace_event*>> waits_;
  int rank_ = -1;
  std::int64_t end_ = 0;
};

}  // namespace

std::vector<path_part> critical_path(const observe::trace& of) { return back_walk(of).walk(); }

}  // namespace upwash::tools
