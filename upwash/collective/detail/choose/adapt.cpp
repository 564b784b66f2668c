// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How algorithms change while the program runs.
#include <span>
#include <vector>

#include "upwash/collective/detail/choose/choices.hpp"
#include "upwash/collective/detail/run/team_records.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {

std::shared_ptr<site> choices::site_of(const team& among, team_record& record, const problem& what,
                                       const call& wanted) {
  const bool adapts =
      adapts_ == adaptation::all || (adapts_ == adaptation::irregular && is_irregular(what.of));
  if (!adapts || wanted.how.fixed || !wanted.how.algorithm.empty() || what.ranks == 1 ||
      forced_.contains(what.of)) {
    return nullptr;
  }
  const std::shared_ptr<site> at = record.sites.of(what, wanted);
  if (at != nullptr && !at->begun()) at->begin(choose(among, what, {}, wanted.how.label));
  return at;
}

void choices::advance(const team& among, site& at) {
  if (!at.advance()) return;
  std::vector<std::uint64_t> sums = at.report();
  const duration begin = here_.now();
  control::all_reduce(among, sums, control::fold::sum);
  at.agreed_in(here_.now() - begin);
  if (at.agree(sums)) at.begin(choose(among, at.seen(), {}, at.label()));
  if (const std::string line = at.news(); !line.empty()) tell(among, line);
}

void choices::adapt(const team& among, team_record& record) {
  if (adapts_ == adaptation::none) return;
  std::vector<std::uint64_t> sums;
  for (const auto& each : record.sites) {
    if (!each->irregular()) continue;
    const auto its = each->pattern();
    sums.insert(sums.end(), its.begin(), its.end());
  }
  if (sums.empty()) return;  // at all members
  control::all_reduce(among, sums, control::fold::sum);
  bool changed = false;
  std::span<const std::uint64_t> rest = sums;
  for (const auto& each : record.sites) {
    if (!each->irregular()) continue;
    const bool another = each->take_pattern(rest.first<site::observations>());
    rest = rest.subspan(site::observations);
    if (!another) continue;
    each->begin(choose(among, each->seen(), {}, each->label()));
    changed = true;
  }
  if (changed) record.plans.forget();
}

}  // namespace upwash::collective::detail
