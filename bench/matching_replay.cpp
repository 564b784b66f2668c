// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash bench matching --replay FILE`: a recorded trace through the stores of every rank in it,
// for every engine and partition, beside a list. A message arrives when it was sent.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/matching_replay.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/base/error.hpp"
#include "upwash/matching/profile.hpp"
#include "upwash/matching/store.hpp"
#include "upwash/matching/trace.hpp"

namespace upwash::bench {
namespace {

using matching::side;
using kind = matching::trace_event::kind;

struct step {
  kind what;
  matching::envelope with;
  std::size_t post = 0;  ///< cancel: the step of the post that is taken back
};

/// What happens at one rank, and the shapes of its two queues, with the profiles of this same
/// stream.
struct stream {
  std::vector<step> steps;
  matching::shape posted;
  matching::shape unexpected;
  std::vector<std::int64_t> matches;  ///< of each step in a plain list
};

struct outcome {
  double seconds = 0;
  matching::costs spent;
  std::size_t longest = 0;
  std::size_t bytes = 0;
  std::size_t queues = 0;
  std::size_t partners = 0;
  std::vector<std::int64_t> matches;  ///< of each step: the step whose entry it found, or -1
};

/// By a plain vector, oldest first: what any store must find.
std::vector<std::int64_t> matches_in_a_list(const stream& s) {
  std::vector<std::size_t> posted;
  std::vector<std::size_t> unexpected;
  std::vector<std::int64_t> matches(s.steps.size(), -1);
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    const step& now = s.steps[i];
    if (now.what == kind::cancel) {
      std::erase(posted, now.post);
      continue;
    }
    const bool arrives = now.what == kind::arrival;
    std::vector<std::size_t>& searched = arrives ? posted : unexpected;
    const auto found = std::find_if(searched.begin(), searched.end(), [&](std::size_t at) {
      return matching::fit(s.steps[at].with, now.with);
    });
    if (found != searched.end()) {
      matches[i] = static_cast<std::int64_t>(*found);
      if (now.what != kind::probe) searched.erase(found);
    } else if (arrives || now.what == kind::post) {
      (arrives ? unexpected : posted).push_back(i);
    }
  }
  return matches;
}

/// Those of the ranks that something happens at, in order.
std::vector<stream> streams_of(const std::vector<matching::trace_event>& events) {
  std::int32_t ranks = 0;
  for (const auto& e : events) ranks = std::max({ranks, e.rank + 1, e.peer + 1});
  std::map<std::int32_t, stream> by_rank;
  std::map<std::int32_t, std::vector<std::size_t>> posts;
  std::map<std::int32_t, std::vector<matching::trace_event>> of_rank;
  for (const auto& e : events) {
    stream& to = by_rank[e.receiver()];
    if (e.what == kind::cancel) {
      of_rank[e.receiver()].push_back(e);
      to.steps.push_back({e.what, {}, posts[e.receiver()].at(e.number)});
      continue;
    }
    if (e.what == kind::post) posts[e.receiver()].push_back(to.steps.size());
    to.steps.push_back({e.what == kind::send ? kind::arrival : e.what,
                        {e.context, e.source(), e.tag, e.kind_of_collective}});
    of_rank[e.receiver()].push_back(e);
  }
  std::vector<stream> all;
  for (auto& [rank, one] : by_rank) {
    const auto profile = matching::profile_of(of_rank[rank], rank, ranks);
    one.posted = {.ranks = ranks,
                  .profile = profile.posted.by_source,
                  .by_context = profile.posted.by_context};
    one.unexpected = {.ranks = ranks,
                      .profile = profile.unexpected.by_source,
                      .by_context = profile.unexpected.by_context};
    one.matches = matches_in_a_list(one);
    all.push_back(std::move(one));
  }
  return all;
}

/// One step; returns the entry that it found. Entry i is that of step i; `inside` says which lie in
/// a store.
const matching::entry* take_step(std::size_t i, const stream& s,
                                 std::vector<matching::entry>& entries, std::vector<bool>& inside,
                                 matching::store& posted, matching::store& unexpected) {
  const auto& [what, with, post] = s.steps[i];
  const bool arrives = what == kind::arrival;
  matching::store& searched = arrives ? posted : unexpected;
  if (what == kind::probe) return searched.find(with);
  if (what == kind::cancel) {
    if (inside[post]) posted.erase(entries[post]);
    inside[post] = false;
    return nullptr;
  }
  const auto* found = searched.take(with);
  if (found != nullptr) {
    inside[static_cast<std::size_t>(found - entries.data())] = false;
  } else if (what != kind::claim) {
    entries[i].what = with;
    inside[i] = true;
    (arrives ? unexpected : posted).insert(entries[i]);
  }
  return found;
}

outcome replay(std::string_view engine, std::string_view partition, const stream& s) {
  const auto posted = matching::make_store(engine, partition, side::posted, s.posted);
  const auto unexpected = matching::make_store(engine, partition, side::unexpected, s.unexpected);
  std::vector<matching::entry> entries(s.steps.size());
  std::vector<bool> inside(entries.size());
  outcome out;
  out.matches.assign(entries.size(), -1);
  const duration start = steady_now();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto* found = take_step(i, s, entries, inside, *posted, *unexpected);
    if (found != nullptr) out.matches[i] = found - entries.data();
    out.longest = std::max({out.longest, posted->size(), unexpected->size()});
  }
  out.seconds = (steady_now() - start).seconds();
  for (const auto* each : {posted.get(), unexpected.get()}) {
    out.spent.searches += each->spent().searches;
    out.spent.traversals += each->spent().traversals;
    out.bytes += each->describe().bytes;
    out.queues += each->describe().queues;
    out.partners += each->describe().partners;
  }
  return out;
}

/// Every combination finds what a list finds.
void check_matches(std::string_view engine, std::string_view partition, const stream& s,
                   const outcome& one) {
  const auto [mine, right] =
      std::mismatch(one.matches.begin(), one.matches.end(), s.matches.begin());
  if (mine == one.matches.end()) return;
  throw error(error_kind::fault,
              fmt::format("bench matching: {}/{} finds the entry of step {} at step {}, a list "
                          "that of step {}",
                          engine, partition, *mine, mine - one.matches.begin(), *right));
}

/// All ranks one after the other; queues, partners and bytes of the rank with most of each.
outcome replay_all(std::string_view engine, std::string_view partition,
                   const std::vector<stream>& ranks) {
  outcome all;
  for (const auto& each : ranks) {
    const outcome one = replay(engine, partition, each);
    check_matches(engine, partition, each, one);
    all.seconds += one.seconds;
    all.spent.searches += one.spent.searches;
    all.spent.traversals += one.spent.traversals;
    all.longest = std::max(all.longest, one.longest);
    all.bytes = std::max(all.bytes, one.bytes);
    all.queues = std::max(all.queues, one.queues);
    all.partners = std::max(all.partners, one.partners);
  }
  return all;
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

void replay_matching(const std::string& file, bool json) {
  constexpr int samples = 5;
  const auto ranks = streams_of(matching::read_trace(file));
  if (!json) {
    fmt::print("# {:<14} {:<16} {:>8} {:>8} {:>10} {:>8} {:>8} {:>9} {:>8}\n", "Engine",
               "Partition", "ns", "Gain", "Looks", "Longest", "Queues", "Partners", "Bytes");
  }
  std::string best;
  double least = 0;
  for (const auto engine : matching::engine_names()) {
    for (const auto partition : matching::partition_names()) {
      std::vector<double> ns;
      std::vector<double> gains;
      outcome mine;
      for (int i = 0; i < samples; ++i) {
        mine = replay_all(engine, partition, ranks);
        const outcome list = replay_all("list", "single", ranks);
        ns.push_back(mine.seconds * 1e9 / static_cast<double>(mine.spent.searches));
        gains.push_back(list.seconds / mine.seconds);
      }
      const double looks =
          static_cast<double>(mine.spent.traversals) / static_cast<double>(mine.spent.searches);
      const double gain = middle_of(gains);
      if (best.empty() || middle_of(ns) < least) {
        least = middle_of(ns);
        best = fmt::format("{}/{}", engine, partition);
      }
      if (json) {
        const nlohmann::ordered_json row{
            {"bench", "matching"},        {"pattern", file},       {"engine", engine},
            {"partition", partition},     {"unit", "ns"},          {"n", samples},
            {"ns", middle_of(ns)},        {"ratio_to_list", gain}, {"traversals", looks},
            {"depth", mine.longest},      {"queues", mine.queues}, {"partners", mine.partners},
            {"bytes_of_rank", mine.bytes}};
        fmt::print("{}\n", row.dump());
      } else {
        fmt::print("{:<16} {:<16} {:>8.1f} {:>8.2f} {:>10.2f} {:>8} {:>8} {:>9} {:>8}\n", engine,
                   partition, middle_of(ns), gain, looks, mine.longest, mine.queues, mine.partners,
                   mine.bytes);
      }
    }
  }
  if (json) return;
  fmt::print("# fastest: {}, {:.1f} ns\n", best, least);
  fmt::print("# matches: all as in a plain list\n");
}

}  // namespace upwash::bench
