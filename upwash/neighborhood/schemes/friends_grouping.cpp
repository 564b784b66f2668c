// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/friends_grouping.hpp"

#include <algorithm>

namespace upwash::neighborhoods {
namespace {

/// How far groups are counted at one rank: where all k of many ranks could be a group, there are
/// too many to count.
constexpr std::uint64_t most_counting_steps = 10000;

}  // namespace

int friends_stage::taker_of(int destination, int otherwise) const {
  const auto found = std::ranges::lower_bound(takers, destination, {}, &std::pair<int, int>::first);
  return found != takers.end() && found->first == destination ? found->second : otherwise;
}

friends_grouping::friends_grouping(router& at, const friends_options& with)
    : at_(at),
      with_(with),
      table_(
          std::make_unique<friend_table>(at.rank(), at.destinations(), with.size, with.threshold)),
      end_(at.rank(), at.ranks()) {}

/// A rank that has one source has nothing to tell it.
void friends_grouping::introduce() const {
  if (!with_.aware) {
    if (at_.sources().size() < 2) return;
    for (const int each : at_.sources()) at_.tell(each, at_.sources());
    return;
  }
  std::vector<int> sources(at_.sources().begin(), at_.sources().end());
  const auto node_of = [&](int rank) { return at_.nodes().node_of(rank); };
  std::ranges::stable_sort(sources, {}, node_of);
  for (auto begin = sources.begin(); begin != sources.end();) {
    const auto end = std::find_if(begin, sources.end(),
                                  [&](int rank) { return node_of(rank) != node_of(*begin); });
    for (auto each = begin; each != end && end - begin > 1; ++each) at_.tell(*each, {begin, end});
    begin = end;
  }
}

void friends_grouping::begin() {
  for (const router::told& each : at_.heard()) {
    const auto found = std::ranges::lower_bound(at_.destinations(), each.from);
    table_->learn(static_cast<std::size_t>(found - at_.destinations().begin()), each.words);
  }
  in_stage_ = begin_stage();
  if (in_stage_) at_.note(table_->count_groups(most_counting_steps));
  advance();
}

bool friends_grouping::step() {
  for (const router::told& each : at_.heard()) hear(each.from, each.words);
  advance();
  return end_.step([&](int to, int value) { tell(to, report, std::span(&value, 1)); },
                   [&](int to, int value, int rounds) {
                     const int words[] = {value, rounds};
                     tell(to, start, words);
                   });
}

/// What is told: its kind, the stage, how many words, these.
void friends_grouping::tell(int to, kind what, std::span<const int> more) {
  telling_.assign({what, stage_, static_cast<word>(more.size())});
  telling_.insert(telling_.end(), more.begin(), more.end());
  at_.tell(to, telling_);
}

void friends_grouping::hear(int from, std::span<const word> words) {
  while (!words.empty()) {
    const auto all = words.first(3 + static_cast<std::size_t>(words[2]));
    words = words.subspan(all.size());
    if (all[0] == report) {
      end_.hear_report(all[3]);
    } else if (all[0] == start) {
      end_.hear_start(all[3], all[4]);
    } else if (in_stage_ && all[1] == stage_) {
      hear_of_stage(from, all);
    } else if (in_stage_ && all[1] > stage_) {
      early_.emplace_back(from, std::vector<word>(all.begin(), all.end()));
    }
  }
}

void friends_grouping::hear_of_stage(int from, std::span<const word> words) {
  const auto more = words.subspan(3);
  if (words[0] == choice) {
    if (matching_) matching_->hear_choice(from, more);
    return;
  }
  --waits_for_;
  if (matching_) matching_->hear_gone(from);
  if (more[0] != 0) {
    table_->forget(from);
  } else {
    table_->given_up(from, more.subspan(1));
  }
}

/// As far as it goes without hearing more.
void friends_grouping::advance() {
  while (in_stage_) {
    if (matching_) {
      const auto is =
          matching_->step([&](int to, std::span<const int> chosen) { tell(to, choice, chosen); });
      if (is == group_matching::outcome::open) return;
      if (is == group_matching::outcome::grouped) {
        form(matching_->chosen());
      } else {
        leave(table_->none(), false);
      }
    }
    if (waits_for_ > 0) return;
    ++stage_;
    in_stage_ = begin_stage();
    for (const auto& [from, words] : std::exchange(early_, {})) {
      if (in_stage_) hear_of_stage(from, words);
    }
  }
}

/// A rank without a group, while nobody is in one, will never have one: what ranks have in common
/// only gets less.
bool friends_grouping::begin_stage() {
  waits_for_ = table_->begin_stage();
  const friend_group first = table_->best();
  if (!first.empty()) {
    matching_ = std::make_unique<asking_matching>(at_.rank(), *table_, first);
    return true;
  }
  leave(table_->none(), true);
  table_.reset();
  end_.ready(found_.empty() ? 0 : found_.back().number + 1);
  return false;
}

void friends_grouping::form(const friend_group& group) {
  friends_stage& made = found_.emplace_back();
  made.number = stage_;
  made.group = group;
  friend_table::set given_up = table_->none();
  // What is given to a friend is delivered to it on the way.
  for (const int each : group.ranks()) table_->include(given_up, each);
  for (const int each : table_->ranks_in(given_up)) made.takers.emplace_back(each, each);
  const std::vector<int> common = table_->ranks_in(table_->common(group));
  const std::size_t own_place = group.place_of(at_.rank());
  const std::size_t most = common.size() / with_.size;
  const std::size_t larger = common.size() % with_.size;  // parts that have one more
  std::size_t next = 0;
  for (std::size_t place = 0; place < with_.size; ++place) {
    const std::size_t end = next + most + (place < larger ? 1 : 0);
    for (; next < end; ++next) {
      made.takers.emplace_back(common[next], group.ranks()[place]);
      if (place != own_place || !with_.cumulative) table_->include(given_up, common[next]);
    }
  }
  std::ranges::sort(made.takers);
  leave(given_up, false);
}

void friends_grouping::leave(const friend_table::set& given_up, bool for_good) {
  table_->each_candidate([&](int to) {
    telling_.assign({gone, stage_, 0, for_good ? 1 : 0});
    table_->add_shared(telling_, to, given_up);
    telling_[2] = static_cast<word>(telling_.size()) - 3;
    at_.tell(to, telling_);
  });
  table_->give_up(given_up);
  matching_.reset();
}

}  // namespace upwash::neighborhoods
