// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>

namespace upwash::tools {
namespace {

using observe::trace_event;
using observe::trace_kind;
using observe::traced_rank;

std::int64_t end_of(const trace_event& e) {
  return e.begin_ps + static_cast<std::int64_t>(e.length_ps);
}

/// Events that are not within others at their rank, but for what they contain.
std::vector<const trace_event*> slices_of(const traced_rank& rank) {
  std::vector<const trace_event*> all;
  for (const trace_event& e : rank.events) {
    if (e.kind != trace_kind::collective) all.push_back(&e);
  }
  std::ranges::stable_sort(all, [](const trace_event* a, const trace_event* b) {
    return std::tuple(a->begin_ps, -end_of(*a)) < std::tuple(b->begin_ps, -end_of(*b));
  });
  return all;
}

class share_counter {
 public:
  explicit share_counter(const traced_rank& rank) {
    shares_.rank = rank.head.rank;
    if (rank.events.empty()) return;
    std::int64_t first = rank.events.front().begin_ps;
    std::int64_t last = first;
    for (const trace_event& e : rank.events) {
      first = std::min(first, e.begin_ps);
      last = std::max(last, end_of(e));
    }
    for (const trace_event* e : slices_of(rank)) {
      while (!open_.empty() && end_of(*open_.back()) <= e->begin_ps) open_.pop_back();
      // What sticks out of the slice around it counts there only as far as it lies within.
      const std::int64_t end =
          open_.empty() ? end_of(*e) : std::min(end_of(*e), end_of(*open_.back()));
      const std::int64_t own = std::max<std::int64_t>(0, end - e->begin_ps);
      if (!open_.empty()) of(*open_.back()) -= own;
      of(*e) += own;
      open_.push_back(e);
    }
    shares_.program += last - first - shares_.wait - shares_.library - told_;
    shares_.program = std::max<std::int64_t>(shares_.program, 0) + told_;
  }
  [[nodiscard]] const time_shares& shares() const noexcept { return shares_; }

 private:
  std::int64_t& of(const trace_event& e) noexcept {
    if (e.kind == trace_kind::wait) return shares_.wait;
    if (e.kind == trace_kind::compute) return told_;
    return shares_.library;
  }

  time_shares shares_;
  std::int64_t told_ = 0;
  std::vector<const trace_event*> open_;
};

constexpr std::size_t depth_stretches = 400;  ///< of time: what a page is wide

void add_size(trace_numbers& made, std::uint64_t bytes) {
  const auto place = static_cast<std::size_t>(std::bit_width(bytes));
  if (made.sizes.size() <= place) made.sizes.resize(place + 1);
  ++made.sizes[place];
}

void add_traffic(trace_numbers& made, const traced_rank& rank, const trace_event& e) {
  const bool moves = e.kind == trace_kind::send || e.kind == trace_kind::put ||
                     e.kind == trace_kind::get || e.kind == trace_kind::atomic;
  if (!moves || e.peer < 0) return;
  // What a get fetches goes from the owner to who asks.
  const bool fetches = e.kind == trace_kind::get;
  traffic& between =
      made.matrix[{fetches ? e.peer : rank.head.rank, fetches ? rank.head.rank : e.peer}];
  ++between.messages;
  between.bytes += e.bytes;
  add_size(made, e.bytes);
}

using name_totals = std::map<std::string, name_total, std::less<>>;

void add_named(name_totals& totals, const traced_rank& rank, const trace_event& e) {
  const std::string_view name = rank.name_of(e);
  auto at = totals.find(name);
  if (at == totals.end()) at = totals.emplace(name, name_total{.name = std::string(name)}).first;
  const auto length = static_cast<std::int64_t>(e.length_ps);
  ++at->second.count;
  at->second.ps += length;
  at->second.longest_ps = std::max(at->second.longest_ps, length);
}

/// The longest first.
std::vector<name_total> by_time(const name_totals& totals) {
  std::vector<name_total> all;
  for (const auto& [name, each] : totals) all.push_back(each);
  std::ranges::stable_sort(all, std::greater<>(), &name_total::ps);
  return all;
}

/// The calls of one collective operation: name, team, number, and who began when.
struct begun {
  int rank = 0;
  std::int64_t at = 0;
};
using call_key = std::tuple<std::string_view, std::uint16_t, std::uint32_t>;

class collective_counter {
 public:
  explicit collective_counter(const observe::trace& of) {
    for (const traced_rank& rank : of.ranks) {
      for (const trace_event& e : rank.events) {
        if (e.kind == trace_kind::collective) add(rank, e);
      }
    }
    for (auto& [key, members] : calls_) compare(totals_.find(std::get<0>(key))->second, members);
  }
  [[nodiscard]] std::vector<collective_total> by_time() const {
    std::vector<collective_total> all;
    for (const auto& [name, each] : totals_) all.push_back(each);
    std::ranges::stable_sort(all, std::greater<>(), &collective_total::ps);
    return all;
  }

 private:
  void add(const traced_rank& rank, const trace_event& e) {
    const std::string_view name = rank.name_of(e);
    auto at = totals_.find(name);
    if (at == totals_.end()) {
      at = totals_.emplace(name, collective_total()).first;
      at->second.name = name;
      at->second.least_bytes = e.bytes;
    }
    collective_total& total = at->second;
    const auto length = static_cast<std::int64_t>(e.length_ps);
    ++total.calls;
    total.least_bytes = std::min(total.least_bytes, e.bytes);
    total.most_bytes = std::max(total.most_bytes, e.bytes);
    total.ps += length;
    total.longest_ps = std::max(total.longest_ps, length);
    calls_[{at->first, e.team, e.number}].push_back({rank.head.rank, e.begin_ps});
  }

  /// Calls of two teams that look alike have a rank twice: nothing is said of them.
  static void compare(collective_total& total, std::vector<begun>& members) {
    if (members.size() < 2) return;
    std::ranges::sort(members, {}, &begun::rank);
    const auto twice = std::ranges::adjacent_find(members, {}, &begun::rank);
    if (twice != members.end()) return;
    std::ranges::sort(members, {}, &begun::at);
    const begun& late = members.back();
    ++total.compared;
    ++total.last[late.rank];
    total.late_ps[late.rank] += late.at - members[members.size() - 2].at;
  }

  std::map<std::string, collective_total, std::less<>> totals_;
  std::map<call_key, std::vector<begun>> calls_;
};

}  // namespace

trace_numbers numbers_of(const observe::trace& of) {
  trace_numbers made;
  name_totals waits;
  name_totals steps;
  for (const traced_rank& rank : of.ranks) {
    made.events += rank.events.size();
    made.shares.push_back(share_counter(rank).shares());
    for (const trace_event& e : rank.events) {
      made.end_ps = std::max(made.end_ps, end_of(e));
      add_traffic(made, rank, e);
      if (e.kind == trace_kind::wait) add_named(waits, rank, e);
      if (e.kind == trace_kind::step) add_named(steps, rank, e);
    }
  }
  made.waits = by_time(waits);
  made.steps = by_time(steps);
  made.collectives = collective_counter(of).by_time();
  made.critical = critical_path(of);
  made.choices = choices_of(of);
  made.streams = streams_of(of);
  made.matching = matching_of(of, made.end_ps, depth_stretches);
  made.migrations = migrations_of(of);
  return made;
}

}  // namespace upwash::tools
