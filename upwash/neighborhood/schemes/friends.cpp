// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First all groups of all stages are found, then blocks go: Ghazimirsaeed 2019, algorithm 7.4.
// There they go stage by stage, which only cumulative friends need.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "upwash/neighborhood/schemes/friends_grouping.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {
namespace {

friends_options options_of(const model::values& with) {
  friends_options made;
  made.size = with[0];
  made.aware = with[2] == 1;
  made.cumulative = with[3] == 1;
  // The paper's 7.5: fewer messages than with groups of one less; in a node: fewer than direct.
  const std::uint64_t usual = made.aware ? with[0] : with[0] * (with[0] - 1);
  made.threshold = static_cast<int>(with[1] != 0 ? with[1] : usual);
  return made;
}

template <class Next>
void pass_by(router& at, Next next) {
  const parcel_list held = at.take();
  for (std::size_t i = 0; i < held.size(); ++i) {
    const parcel one = held[i];
    for (const int& to : one.destinations) at.pass(one, std::span(&to, 1), next(to));
  }
}

/// Who takes over what in any stage. A destination that was divided is given up, so no stage's
/// blocks wait for another's.
friends_stage all_of(std::span<const friends_stage> stages) {
  friends_stage all;
  for (const friends_stage& each : stages) {
    all.takers.insert(all.takers.end(), each.takers.begin(), each.takers.end());
  }
  std::ranges::sort(all.takers);
  return all;
}

routing by_groups(router& at, const model::values& with, bool staged) {
  const friends_options options = options_of(with);
  std::optional<friends_grouping> grouping(std::in_place, at, options);
  grouping->introduce();
  co_await at.next_round();
  grouping->begin();
  do {
    co_await at.next_round();
  } while (!grouping->step());
  const int stages = grouping->stages();
  const std::vector<friends_stage> mine = grouping->take_stages();
  grouping.reset();

  if (!options.cumulative && !staged) {
    const friends_stage all = all_of(mine);
    pass_by(at, [&](int to) { return all.taker_of(to, at.rank()); });
    co_await at.next_round();
    pass_by(at, [](int to) { return to; });
    co_await at.next_round();
    co_return;
  }
  auto now = mine.begin();
  for (int number = 0; number < stages; ++number) {
    const bool in_group = now != mine.end() && now->number == number;
    if (in_group) pass_by(at, [&](int to) { return now->taker_of(to, at.rank()); });
    co_await at.next_round();
    if (!options.cumulative) {
      if (in_group) {
        pass_by(at, [&](int to) { return now->taker_of(to, -1) == at.rank() ? to : at.rank(); });
      }
      co_await at.next_round();
    }
    if (in_group) ++now;
  }
  pass_by(at, [](int to) { return to; });
  co_await at.next_round();
}

}  // namespace

routing friends(router& at, const model::values& with) { return by_groups(at, with, false); }

routing friends_staged(router& at, const model::values& with) { return by_groups(at, with, true); }

}  // namespace upwash::neighborhoods
