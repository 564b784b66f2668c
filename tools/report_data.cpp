// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/trace_json.hpp"
#include "tools/trace_messages.hpp"
#include "tools/trace_numbers.hpp"

namespace upwash::tools {
namespace {

using nlohmann::json;
using observe::trace_event;
using observe::trace_kind;
using observe::traced_rank;

/// To a tenth of a nanosecond: fewer digits, a smaller page.
double us(std::int64_t ps) { return std::round(static_cast<double>(ps) * 1e-2) * 1e-4; }

class name_table {
 public:
  std::size_t number(std::string_view name) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    names_.emplace_back(name);
    return numbers_.emplace(std::string(name), names_.size() - 1).first->second;
  }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

struct slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  const trace_event* is = nullptr;  ///< the longest of them
  std::int64_t taken = 0;           ///< by all of them; what is between them is not theirs
};

/// The events of a row by their begins; what follows within `gap` of the same kind is one slice.
std::vector<slice> merged(const traced_rank& rank, bool collectives, std::int64_t gap) {
  std::vector<const trace_event*> all;
  for (const trace_event& e : rank.events) {
    if (e.kind == trace_kind::queues) continue;  // drawn over time by themselves
    if ((e.kind == trace_kind::collective) == collectives) all.push_back(&e);
  }
  std::ranges::stable_sort(all, {}, &trace_event::begin_ps);
  std::vector<slice> made;
  for (const trace_event* e : all) {
    const std::int64_t end = e->begin_ps + static_cast<std::int64_t>(e->length_ps);
    const bool joins = gap != 0 && !made.empty() && made.back().is->kind == e->kind &&
                       e->begin_ps <= made.back().end + gap && end - e->begin_ps <= gap;
    if (!joins) {
      made.push_back({e->begin_ps, end, e, end - e->begin_ps});
      continue;
    }
    slice& last = made.back();
    last.taken += std::max<std::int64_t>(0, end - std::max(last.end, e->begin_ps));
    last.end = std::max(last.end, end);
    if (e->length_ps > last.is->length_ps) last.is = e;
  }
  return made;
}

/// Of its length, in hundredths: what its events take.
double share_of(const slice& of) {
  const std::int64_t length = of.end - of.begin;
  if (length <= of.taken) return 1;
  return std::round(100 * static_cast<double>(of.taken) / static_cast<double>(length)) / 100;
}

std::size_t slices_with(const observe::trace& of, std::int64_t gap) {
  std::size_t count = 0;
  for (const traced_rank& rank : of.ranks) {
    count += merged(rank, false, gap).size() + merged(rank, true, gap).size();
  }
  return count;
}

/// The least gap, among powers of four of a thousandth of a pixel or so, that leaves few enough.
std::int64_t gap_for(const observe::trace& of, std::int64_t end_ps, std::size_t most) {
  std::size_t events = 0;
  for (const traced_rank& rank : of.ranks) events += rank.events.size();
  if (events <= most) return 0;
  std::int64_t gap = std::max<std::int64_t>(1, end_ps / 4'000'000);
  for (int turn = 0; turn < 12 && slices_with(of, gap) > most; ++turn) gap *= 4;
  return gap;
}

json flat(const traced_rank& rank, const std::vector<slice>& slices, name_table& names) {
  json all = json::array();
  for (const slice& each : slices) {
    all.push_back(us(each.begin));
    all.push_back(us(each.end - each.begin));
    all.push_back(static_cast<int>(each.is->kind));
    all.push_back(names.number(event_name(rank, *each.is)));
    all.push_back(each.is->peer);
    all.push_back(each.is->bytes);
    all.push_back(share_of(each));
  }
  return all;
}

std::int64_t last_end(const traced_rank& rank) {
  std::int64_t last = 0;
  for (const trace_event& e : rank.events) {
    last = std::max(last, e.begin_ps + static_cast<std::int64_t>(e.length_ps));
  }
  return last;
}

json messages_of(const observe::trace& of, std::size_t most) {
  std::unordered_map<const traced_rank*, std::size_t> rows;
  for (std::size_t i = 0; i < of.ranks.size(); ++i) rows[&of.ranks[i]] = i;
  std::size_t count = 0;
  for_each_message(of, [&count](const traced_message& m) { count += m.arrived != nullptr; });
  const std::size_t each = 1 + count / std::max<std::size_t>(1, most);
  std::size_t turn = 0;
  json all = json::array();
  for_each_message(of, [&](const traced_message& m) {
    if (m.arrived == nullptr || turn++ % each != 0) return;
    all.push_back(rows[m.source]);
    all.push_back(rows[m.destination]);
    all.push_back(us(m.sent->begin_ps));
    all.push_back(us(m.arrived->begin_ps));
  });
  return all;
}

}  // namespace

json report_data(const observe::trace& of, const std::string& title, std::size_t most_slices) {
  const trace_numbers numbers = numbers_of(of);
  json all = json_of(of, numbers);
  name_table names;
  const std::int64_t gap = gap_for(of, numbers.end_ps, most_slices);
  json rows = json::array();
  for (const traced_rank& rank : of.ranks) {
    rows.push_back({{"rank", rank.head.rank},
                    {"node", rank.head.node},
                    {"end_us", us(last_end(rank))},
                    {"slices", flat(rank, merged(rank, false, gap), names)},
                    {"collectives", flat(rank, merged(rank, true, gap), names)}});
  }
  std::map<int, double> critical;
  for (const path_part& each : numbers.critical) {
    critical[each.rank] += us(each.end_ps - each.begin_ps);
  }
  json by_rank = json::object();
  for (const auto& [rank, time] : critical) by_rank[std::to_string(rank)] = time;
  all["title"] = title;
  all["conduit"] = std::string(of.ranks.front().head.conduit.data());
  all["end_us"] = us(numbers.end_ps);
  all["rows"] = std::move(rows);
  all["names"] = names.names();
  all["messages"] = messages_of(of, most_slices / 4);
  all["merged_us"] = us(gap);
  all["critical_of"] = std::move(by_rank);
  return all;
}

}  // namespace upwash::tools
