// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/partitions/unified.hpp"

#include <algorithm>
#include <cmath>

namespace upwash::matching {

unified::unified(const shape& s)
    : users_(s),
      most_queues_(static_cast<std::uint64_t>(
          std::floor(s.queues * std::sqrt(static_cast<double>(s.ranks))))) {
  collectives_.resize(256);
}

std::uint32_t unified::home_of_collective(const envelope& e) {
  profile& p = profiles_[e.kind];
  collective& c = collectives_[e.kind & 0xffU];
  if (!p.seen) {
    p.seen = true;
    p.call = call_of(e);
  } else if (!p.decided && p.call != call_of(e)) {
    allocate(c, p);
    p.decided = true;
  }
  return p.decided && !c.levels.empty() ? queue_in(c.levels.back(), e) : 0;
}

/// Algorithm 5.1, lines 8 to 15: as many queues as a search was long on average, or as many as the
/// bound leaves: the paper's condition would leave none then, but its runs reach the bound (5.3.2).
void unified::allocate(collective& c, const profile& p) {
  if (p.searches == 0) return;
  const auto wanted = (p.traversals + p.searches - 1) / p.searches;
  const std::uint64_t left = most_queues_ - (made_ - 1);
  const auto queues = static_cast<std::uint32_t>(std::min(wanted, left));
  const std::uint32_t so_far = c.levels.empty() ? 1 : c.levels.back().queues;
  if (queues <= so_far) return;
  c.levels.push_back({made_, queues});
  made_ += queues;
  ++levels_;
}

void unified::note_search(const envelope& wanted, std::uint64_t traversals) {
  if (traversals == 0) return;
  const auto found = profiles_.find(wanted.kind);
  if (found == profiles_.end()) return;
  profile& p = found->second;
  if (p.decided || p.call != call_of(wanted)) return;
  ++p.searches;
  p.traversals += traversals;
}

division unified::describe() const {
  division all = users_.describe();
  all.queues += made_;
  all.levels += levels_;
  all.bytes += collectives_.capacity() * sizeof(collective) +
               profiles_.size() * (sizeof(profile) + 2 * sizeof(void*)) +
               profiles_.bucket_count() * sizeof(void*);
  return all;
}

}  // namespace upwash::matching
