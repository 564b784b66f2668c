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

/// What happens at one rank, and the profile for static partitions.
struct stream {
  std::vector<step> steps;
  matching::shape shape;
};

struct outcome {
  double seconds = 0;
  matching::costs spent;
  std::size_t longest = 0;
  std::size_t bytes = 0;
  std::size_t queues = 0;
  std::size_t partners = 0;
};

/// Those of the ranks that something happens at, in order.
std::vector<stream> streams_of(const std::vector<matching::trace_event>& events) {
  std::int32_t ranks = 0;
  for (const auto& e : events) ranks = std::max({ranks, e.rank + 1, e.peer + 1});
  std::map<std::int32_t, stream> by_rank;
  std::map<std::int32_t, std::vector<std::size_t>> posts;
  for (const auto& e : events) {
    stream& to = by_rank[e.receiver()];
    if (e.what == kind::cancel) {
      to.steps.push_back({e.what, {}, posts[e.receiver()].at(e.number)});
      continue;
    }
    if (e.what == kind::post) posts[e.receiver()].push_back(to.steps.size());
    to.steps.push_back({e.what == kind::send ? kind::arrival : e.what,
                        {e.context, e.source(), e.tag, e.kind_of_collective}});
    to.shape.ranks = ranks;
    to.shape.profile.resize(static_cast<std::size_t>(ranks));
    matching::count(e, to.shape.profile);
  }
  std::vector<stream> all;
  for (auto& [rank, one] : by_rank) all.push_back(std::move(one));
  return all;
}

/// One step. Entry i is that of step i; `inside` says which lie in a store.
void take_step(std::size_t i, const stream& s, std::vector<matching::entry>& entries,
               std::vector<bool>& inside, matching::store& posted, matching::store& unexpected) {
  const auto& [what, with, post] = s.steps[i];
  const bool arrives = what == kind::arrival;
  matching::store& searched = arrives ? posted : unexpected;
  if (what == kind::probe) {
    (void)searched.find(with);
  } else if (what == kind::cancel) {
    if (inside[post]) posted.erase(entries[post]);
    inside[post] = false;
  } else if (const auto* found = searched.take(with)) {
    inside[static_cast<std::size_t>(found - entries.data())] = false;
  } else if (what != kind::claim) {
    entries[i].what = with;
    inside[i] = true;
    (arrives ? unexpected : posted).insert(entries[i]);
  }
}

outcome replay(std::string_view engine, std::string_view partition, const stream& s) {
  const auto posted = matching::make_store(engine, partition, side::posted, s.shape);
  const auto unexpected = matching::make_store(engine, partition, side::unexpected, s.shape);
  std::vector<matching::entry> entries(s.steps.size());
  std::vector<bool> inside(entries.size());
  outcome out;
  const duration start = steady_now();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    take_step(i, s, entries, inside, *posted, *unexpected);
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

/// All ranks one after the other; queues, partners and bytes of the rank with most of each.
outcome replay_all(std::string_view engine, std::string_view partition,
                   const std::vector<stream>& ranks) {
  outcome all;
  for (const auto& each : ranks) {
    const outcome one = replay(engine, partition, each);
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
  if (!json) fmt::print("# fastest: {}, {:.1f} ns\n", best, least);
}

}  // namespace upwash::bench
