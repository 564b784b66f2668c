// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace upwash::tools {
namespace {

using observe::trace_event;
using observe::trace_kind;
using observe::traced_choice;
using observe::traced_rank;

/// Which calls a choice is for.
using shape = std::tuple<std::string, std::uint64_t, std::uint16_t>;  // collective, bytes, team

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

/// "all_reduce recursive_doubling at main.cpp:7" has its algorithm second.
std::string_view algorithm_of(std::string_view name) {
  name.remove_prefix(std::min(name.size(), first_word(name).size() + 1));
  const std::string_view word = first_word(name);
  return word == "at" ? std::string_view() : word;
}

struct one_call {
  std::int64_t last_begin = 0;
  std::int64_t last_end = 0;
};

using runs_by_shape = std::map<shape, std::map<std::string, algorithm_runs>>;

runs_by_shape runs_of(const observe::trace& of) {
  std::map<std::tuple<shape, std::string, std::uint32_t>, one_call> calls;
  for (const traced_rank& rank : of.ranks) {
    for (const trace_event& e : rank.events) {
      if (e.kind != trace_kind::collective) continue;
      const std::string_view name = rank.name_of(e);
      one_call& call = calls[{shape(first_word(name), e.bytes, e.team),
                              std::string(algorithm_of(name)), e.number}];
      call.last_begin = std::max(call.last_begin, e.begin_ps);
      call.last_end = std::max(call.last_end, e.begin_ps + static_cast<std::int64_t>(e.length_ps));
    }
  }
  runs_by_shape runs;
  for (const auto& [key, call] : calls) {
    const auto& [of_shape, algorithm, number] = key;
    algorithm_runs& total = runs[of_shape][algorithm];
    const std::int64_t took = call.last_end - call.last_begin;
    total.least_ps = total.calls == 0 ? took : std::min(total.least_ps, took);
    total.algorithm = algorithm;
    total.ps += took;
    ++total.calls;
  }
  return runs;
}

void add_runs(std::vector<algorithm_runs>& to, const std::map<std::string, algorithm_runs>& more) {
  for (const auto& [name, each] : more) {
    const auto known = std::ranges::find(to, name, &algorithm_runs::algorithm);
    if (known == to.end()) {
      to.push_back(each);
      continue;
    }
    known->calls += each.calls;
    known->ps += each.ps;
    known->least_ps = std::min(known->least_ps, each.least_ps);
  }
}

}  // namespace

std::vector<choice_total> choices_of(const observe::trace& of) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, choice_total> all;
  std::map<const choice_total*, std::set<shape>> shapes;
  for (const traced_rank& rank : of.ranks) {
    for (const trace_event& e : rank.events) {
      // The other members of a team only say that they chose.
      if (e.kind != trace_kind::choice || rank.name_of(e).find('\n') == std::string_view::npos) {
        continue;
      }
      traced_choice told = observe::read_choice(rank.name_of(e));
      choice_total& total = all[{told.problem, told.chosen, told.label, told.how}];
      if (total.times++ == 0 || e.begin_ps < total.at_ps) {
        total.rank = rank.head.rank;
        total.at_ps = e.begin_ps;
      }
      total.length_ps += static_cast<std::int64_t>(e.length_ps);
      shapes[&total].emplace(first_word(told.problem), e.bytes, e.team);
      total.is = std::move(told);
    }
  }
  const runs_by_shape runs = runs_of(of);
  std::vector<choice_total> made;
  for (auto& [key, total] : all) {
    for (const shape& each : shapes[&total]) {
      if (const auto ran = runs.find(each); ran != runs.end()) add_runs(total.ran, ran->second);
    }
    made.push_back(std::move(total));
  }
  std::ranges::stable_sort(made, {}, &choice_total::at_ps);
  return made;
}

std::string event_name(const traced_rank& rank, const trace_event& e) {
  const std::string_view name = rank.name_of(e);
  if (e.kind != trace_kind::choice || name.find('\n') == std::string_view::npos) {
    return std::string(name);
  }
  const traced_choice told = observe::read_choice(name);
  return fmt::format("chooses {} for {}", told.chosen, told.problem);
}

}  // namespace upwash::tools
