// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Why nobody goes on, from what each rank is in. A rank waits for at most one other here: its peer,
// or the first member that has not called the collective operation that it is in.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "upwash/observe/detail/wording.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::observe {

std::string what_it_does(const standing& one) {
  const std::string process =
      one.process != 0 ? fmt::format(" (pid {})", one.process) : std::string();
  switch (one.now) {
    case doing::unknown: return "has told nothing" + process;
    case doing::waits:
      return fmt::format("waits in {}{}{}", one.operation.view(),
                         one.place.view().empty() ? "" : " at ", one.place.view());
    case doing::runs: return "computes without calling the library" + process;
    case doing::sleeps: return "sleeps outside the library" + process;
    case doing::stopped: return "is stopped" + process;
    case doing::ended: return "has ended";
  }
  return {};
}

std::string detail::name_team(std::uint64_t team) {
  return team == 0 ? "the world" : fmt::format("{:#x}", team);
}

namespace {

constexpr std::size_t most_sentences = 4;
constexpr std::size_t most_operations = 16;  ///< collective ones, that are looked into
constexpr std::size_t most_in_cycle = 8;
constexpr std::string_view at_its_end = "finish";

bool silent(const standing& one) noexcept {
  return one.now != doing::waits && one.now != doing::ended;
}

/// A collective operation that some ranks wait in.
struct meeting {
  const standing* first = nullptr;
  const standing* other = nullptr;  ///< one that is in another operation of that number
  std::vector<int> there;
  std::vector<int> late;    ///< members that have not called it
  std::vector<int> silent;  ///< members of whom nothing is known
};

class reasoning {
 public:
  explicit reasoning(std::span<const standing> ranks) : ranks_(ranks), next_(ranks.size(), -1) {
    for (const standing& one : ranks_) {
      if (one.now == doing::waits && valid(one.peer)) next_[index(one.rank)] = one.peer;
    }
    find_meetings();
  }

  [[nodiscard]] std::vector<std::string> all() {
    tell_of_stopped();
    tell_of_meetings();
    tell_of_cycle();
    tell_of_ends();
    tell_of_silent();
    if (said_.size() > most_sentences) said_.resize(most_sentences);
    return std::move(said_);
  }

 private:
  [[nodiscard]] static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  [[nodiscard]] bool valid(int rank) const { return rank >= 0 && index(rank) < ranks_.size(); }
  [[nodiscard]] const standing& at(int rank) const { return ranks_[index(rank)]; }
  [[nodiscard]] static std::string named(std::span<const int> ranks) {
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", name_ranks(ranks));
  }
  [[nodiscard]] static std::string operation_of(const standing& one) {
    const std::string team = one.team == 0 ? "the world" : "team " + detail::name_team(one.team);
    return fmt::format("{} #{} of {}", one.operation.view(), one.number, team);
  }
  /// "it waits in finish"; of several, each kind with its ranks.
  [[nodiscard]] std::string instead(std::span<const int> ranks) const;

  void find_meetings();
  void look_for_missing(meeting& of);
  void tell_of_stopped();
  void tell_of_meetings();
  void tell_of_cycle();
  void tell_of_ends();
  void tell_of_silent();

  std::span<const standing> ranks_;
  std::vector<int> next_;  ///< whom each rank waits for; -1: nobody that is known
  std::vector<meeting> meetings_;
  std::vector<std::string> said_;
};

/// Whether a rank has begun the operation that another one waits in; unknown where its counts on
/// that team are not.
std::optional<bool> has_begun(const standing& one, const standing& waiting) {
  for (std::uint32_t t = 0; t < one.teams_known && t < one.teams.size(); ++t) {
    const team_counts& counts = one.teams[t];
    if (counts.team != waiting.team) continue;
    switch (waiting.counted) {
      case series::barriers: return counts.barriers >= waiting.number;  // these count from 1
      case series::controls: return counts.controls > waiting.number;
      case series::collectives: return counts.collectives > waiting.number;
      case series::epochs: return counts.epochs >= waiting.number;  // from 1, too
      case series::none: break;
    }
  }
  return std::nullopt;
}

void reasoning::find_meetings() {
  std::map<std::tuple<series, std::uint64_t, std::uint64_t>, meeting> found;
  for (const standing& one : ranks_) {
    if (one.now != doing::waits || one.counted == series::none) continue;
    const auto key = std::tuple(one.counted, one.team, one.number);
    if (found.size() == most_operations && !found.contains(key)) continue;
    meeting& in = found[key];
    if (in.first == nullptr) in.first = &one;
    if (one.operation.view() != in.first->operation.view()) in.other = &one;
    in.there.push_back(one.rank);
  }
  for (auto& [key, each] : found) {
    look_for_missing(each);
    meetings_.push_back(std::move(each));
  }
}

void reasoning::look_for_missing(meeting& of) {
  const bool everybody = of.first->team == 0;
  if (!everybody && !of.first->members_known) return;
  std::size_t there = 0;
  for (const standing& one : ranks_) {
    if (there < of.there.size() && of.there[there] == one.rank) {
      ++there;
    } else if (!everybody && !of.first->has_member(one.rank)) {
      continue;
    } else if (silent(one)) {
      of.silent.push_back(one.rank);
    } else if (one.now == doing::ended || !has_begun(one, *of.first).value_or(true)) {
      of.late.push_back(one.rank);
    }
  }
  if (of.late.empty() && of.silent.empty()) return;
  for (const int rank : of.there) {
    if (next_[index(rank)] < 0) {
      next_[index(rank)] = of.late.empty() ? of.silent.front() : of.late.front();
    }
  }
}

std::string reasoning::instead(std::span<const int> ranks) const {
  std::map<std::string, std::vector<int>> kinds;
  for (const int rank : ranks) kinds[what_it_does(at(rank))].push_back(rank);
  if (ranks.size() == 1) return "it " + kinds.begin()->first;
  std::string text;
  for (const auto& [what, who] : kinds) {
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", who.size() > 1 ? "each of " : "",
                        named(who), what);
  }
  return text;
}

void reasoning::tell_of_stopped() {
  for (const standing& one : ranks_) {
    if (one.now != doing::stopped || said_.size() == most_sentences) continue;
    said_.push_back(
        fmt::format("rank {} is stopped; kill -CONT {} lets it go on", one.rank, one.process));
  }
}

void reasoning::tell_of_meetings() {
  for (const meeting& each : meetings_) {
    if (!each.late.empty()) {
      said_.push_back(fmt::format("{} never called {}; {}", named(each.late),
                                  operation_of(*each.first), instead(each.late)));
    }
    if (each.other != nullptr) {
      said_.push_back(
          fmt::format("the members call different operations: rank {} is in {}, rank {} in {}",
                      each.first->rank, operation_of(*each.first), each.other->rank,
                      operation_of(*each.other)));
    }
  }
}

void reasoning::tell_of_cycle() {
  constexpr int fresh = -1;
  std::vector<int> seen(ranks_.size(), fresh);  // on whose way
  for (int start = 0; valid(start); ++start) {
    int rank = start;
    while (valid(rank) && seen[index(rank)] == fresh) {
      seen[index(rank)] = start;
      rank = next_[index(rank)];
    }
    if (!valid(rank) || seen[index(rank)] != start) continue;
    std::string text = fmt::format("a cycle: rank {}", rank);
    std::size_t length = 0;
    const int first = rank;
    do {
      const int to = next_[index(rank)];
      if (length++ < most_in_cycle) {
        text += fmt::format("{} waits in {} for rank {}", length == 1 ? "" : ", which",
                            at(rank).operation.view(), to);
      }
      rank = to;
    } while (rank != first);
    if (length > most_in_cycle) text += fmt::format(" and so on, {} ranks in all", length);
    said_.push_back(std::move(text));
    return;
  }
}

/// Who waits for a rank that itself waits for nobody in particular.
void reasoning::tell_of_ends() {
  std::map<int, std::vector<int>> waiting;
  for (const standing& one : ranks_) {
    const int to = one.peer;
    if (one.now != doing::waits || !valid(to) || to == one.rank) continue;
    const bool over = at(to).now == doing::ended;
    if (over || (at(to).now == doing::waits && at(to).operation.view() == at_its_end)) {
      waiting[to].push_back(one.rank);
    }
  }
  for (const auto& [to, who] : waiting) {
    said_.push_back(fmt::format("{} wait{} in {} for rank {}, which {}", named(who),
                                who.size() == 1 ? "s" : "", at(who.front()).operation.view(), to,
                                what_it_does(at(to))));
  }
}

void reasoning::tell_of_silent() {
  std::map<int, std::vector<int>> waiting;
  for (const standing& one : ranks_) {
    const int to = next_[index(one.rank)];
    if (one.now == doing::waits && valid(to) && silent(at(to))) waiting[to].push_back(one.rank);
  }
  for (const meeting& each : meetings_) {
    for (const int rank : each.silent) waiting.try_emplace(rank, each.there);
  }
  for (const auto& [to, who] : waiting) {
    if (at(to).now == doing::stopped) continue;
    said_.push_back(fmt::format("rank {} {}; {} wait{} for it", to, what_it_does(at(to)),
                                named(who), who.size() == 1 ? "s" : ""));
  }
}

}  // namespace

std::vector<std::string> conclusions(std::span<const standing> ranks) {
  return reasoning(ranks).all();
}

}  // namespace upwash::observe
