// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/profile.hpp"

#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <map>

#include "upwash/matching/store.hpp"

namespace upwash::matching {
namespace {

using kind = trace_event::kind;

/// Counts by context and source; contexts stay in the order in which they appeared.
class counter {
 public:
  explicit counter(std::int32_t ranks) { made_.by_source.resize(static_cast<std::size_t>(ranks)); }

  void add(const envelope& what) {
    const auto source = static_cast<std::size_t>(what.source);
    if (what.source < 0 || source >= made_.by_source.size()) return;
    ++made_.by_source[source];
    const auto [at, added] =
        places_.try_emplace({what.context, what.source}, made_.by_context.size());
    if (added) made_.by_context.push_back({what.context, what.source, 0});
    ++made_.by_context[at->second].entries;
  }
  [[nodiscard]] queue_profile&& result() { return std::move(made_); }

 private:
  queue_profile made_;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::size_t> places_;
};

/// An entry and whether it is in a store.
struct held : entry {
  bool inside = false;
};

}  // namespace

match_profile profile_of(std::span<const trace_event> events, std::int32_t receiver,
                         std::int32_t ranks) {
  const auto posted = make_store(default_engine, default_partition, side::posted, {});
  const auto unexpected = make_store(default_engine, default_partition, side::unexpected, {});
  std::deque<held> entries;
  std::deque<held*> posts;  // by number
  counter of_posted(ranks);
  counter of_unexpected(ranks);
  for (const trace_event& e : events) {
    if (e.receiver() != receiver || e.what == kind::probe) continue;
    if (e.what == kind::cancel) {
      held& taken_back = *posts.at(e.number);
      if (std::exchange(taken_back.inside, false)) posted->erase(taken_back);
      continue;
    }
    const bool arrives = e.what == kind::send || e.what == kind::arrival;
    const envelope what{e.context, e.source(), e.tag, e.kind_of_collective};
    held& mine = entries.emplace_back();
    if (e.what == kind::post) posts.push_back(&mine);
    if (entry* met = (arrives ? posted : unexpected)->take(what)) {
      static_cast<held*>(met)->inside = false;
    } else if (e.what != kind::claim) {
      mine.what = what;
      mine.inside = true;
      (arrives ? unexpected : posted)->insert(mine);
      (arrives ? of_unexpected : of_posted).add(what);
    }
  }
  return {of_posted.result(), of_unexpected.result()};
}

match_profile read_profile(const std::string& path, std::int32_t rank, std::int32_t ranks) {
  const std::string own = fmt::format("{}.{}", path, rank);
  return profile_of(read_trace(std::filesystem::exists(own) ? own : path), rank, ranks);
}

}  // namespace upwash::matching
