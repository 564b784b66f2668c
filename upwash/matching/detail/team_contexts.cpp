// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/detail/team_contexts.hpp"

#include <algorithm>

#include "upwash/core/teams.hpp"

namespace upwash::matching::detail {

void team_contexts::look_up(table& among, std::uint64_t team) {
  const auto [found, added] = among.numbers.emplace(team, next_);
  if (added && free_.empty()) {
    ++next_;
  } else if (added) {
    found->second = free_.back();
    free_.pop_back();
  }
  among.last = found->second;
  among.last_team = team;
}

std::optional<std::uint32_t> team_contexts::find(std::uint64_t team, std::uint32_t kind) const {
  const auto& numbers = table_of(kind).numbers;
  const auto found = numbers.find(team);
  if (found == numbers.end()) return std::nullopt;
  return found->second;
}

bool team_contexts::look_for_released(const table& among, std::uint64_t team) {
  if (among.numbers.contains(team)) return false;
  if (std::find(going_.begin(), going_.end(), team) != going_.end()) return true;
  if (team_exists(here_, team)) return false;
  if (keeps_early_) early_.emplace_back(team, false);
  return !keeps_early_;
}

std::vector<std::uint64_t> team_contexts::take_vain() {
  std::vector<std::uint64_t> vain;
  std::erase_if(early_, [&](auto& each) {
    if (team_exists(here_, each.first)) return true;
    if (each.second) vain.push_back(each.first);
    return std::exchange(each.second, true);
  });
  return vain;
}

std::vector<std::uint32_t> team_contexts::of_team(std::uint64_t team) const {
  std::vector<std::uint32_t> all;
  for (const table& among : tables_) {
    const auto found = among.numbers.find(team);
    if (found != among.numbers.end()) all.push_back(found->second);
  }
  return all;
}

void team_contexts::leave(std::uint64_t team) {
  std::erase_if(going_, [this](std::uint64_t id) { return !team_exists(here_, id); });
  going_.push_back(team);
}

void team_contexts::give_back(std::uint64_t team, std::uint32_t context, bool again) {
  if (context < hints_.size()) hints_[context] = {};
  if (again) free_.push_back(context);
  for (table& among : tables_) {
    const auto found = among.numbers.find(team);
    if (found == among.numbers.end() || found->second != context) continue;
    if (among.last_team == team) among.last_team = ~std::uint64_t{0};
    among.numbers.erase(found);
  }
}

std::vector<std::uint32_t> team_contexts::take_kept_kinds(std::uint32_t context) {
  std::vector<std::uint32_t> kinds;
  auto at = kept_kinds_.lower_bound({context, 0});
  for (; at != kept_kinds_.end() && at->first == context; at = kept_kinds_.erase(at)) {
    kinds.push_back(at->second);
  }
  return kinds;
}

void team_contexts::promise(std::uint32_t context, const hints& what) {
  if (hints_.size() <= context) hints_.resize(context + 1);
  hints_[context] = what;
}

}  // namespace upwash::matching::detail
