// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/partitions/partners.hpp"

#include <cmath>
#include <limits>

namespace upwash::matching {

partner_static::partner_static(const shape& s) : keys_(s.ranks) {
  std::vector<counted_key> counted;
  for (const queued_of& each : s.by_context) {
    counted.push_back({keys_.key({each.context, each.source, 0, 0}), each.entries});
  }
  for (std::size_t i = 0; s.by_context.empty() && i < s.profile.size(); ++i) {
    const auto source = static_cast<std::int32_t>(i);
    if (s.profile[i] > 0) counted.push_back({keys_.key({0, source, 0, 0}), s.profile[i]});
  }
  const auto chosen = select_partners(std::move(counted), keys_.population(), s,
                                      std::numeric_limits<std::size_t>::max());
  partners_ = chosen.size();
  table_ = perfect_hash(chosen);
}

partner_dynamic::partner_dynamic(const shape& s)
    : by_(s),
      keys_(s.ranks),
      most_partners_(static_cast<std::size_t>(
          std::floor(s.partners * std::sqrt(static_cast<double>(s.ranks))))),
      divide_above_(s.threshold) {
  by_.profile = {};
  by_.by_context = {};
}

void partner_dynamic::divide(const std::unordered_map<std::uint64_t, std::uint64_t>& counts,
                             std::size_t length) {
  std::vector<counted_key> counted;
  counted.reserve(counts.size());
  for (const auto& [key, entries] : counts) counted.push_back({key, entries});
  const std::size_t room = most_partners_ - partners_.size();
  const auto chosen = select_partners(std::move(counted), keys_.population(), by_, room);
  if (room == 0) {
    divide_above_ = std::numeric_limits<std::size_t>::max();
  } else if (chosen.empty()) {
    divide_above_ = 2 * length;  // nobody stands out: look again when there is more to see
  } else {
    for (const auto key : chosen) partners_.emplace(key, partner{made_++, shared_.size()});
    shared_.push_back(made_++);
    divide_above_ = by_.threshold;
  }
}

division partner_dynamic::describe() const {
  constexpr std::size_t node = sizeof(std::pair<std::uint64_t, partner>) + 2 * sizeof(void*);
  return {.queues = made_,
          .levels = shared_.size() - 1,
          .partners = partners_.size(),
          .bytes = partners_.size() * node + partners_.bucket_count() * sizeof(void*),
          .managing_ns = managing_ns_};
}

}  // namespace upwash::matching
