// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/detail/neighborhood_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/values.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::neighborhoods::detail {
namespace {

placement nodes_of(const team& among) {
  const conduit::endpoint& where = host(among.here()).endpoint();
  std::vector<int> node_of(static_cast<std::size_t>(among.size()));
  for (int member = 0; member < among.size(); ++member) {
    node_of[static_cast<std::size_t>(member)] = where.place(among.world_rank(member)).node;
  }
  return placement(node_of);
}

std::optional<grid_reach> reach_of(const team& among, std::span<const int> destinations,
                                   const std::optional<grid>& on) {
  if (!on) return {};
  grid_reach reach(*on);
  for (const int to : destinations) reach.include(among.rank(), to);
  std::vector<int> ends;
  for (const auto& each : reach.along) ends.insert(ends.end(), {-each.least, each.most});
  std::vector<int> of_all(ends.size());
  all_reduce<most>(among, blocking, std::span<const int>(ends), std::span<int>(of_all));
  for (std::size_t i = 0; i < reach.along.size(); ++i) {
    reach.along[i] = {-of_all[2 * i], of_all[2 * i + 1]};
  }
  return reach;
}

/// How often each rank occurs.
std::map<int, int> times(std::span<const int> ranks) {
  std::map<int, int> all;
  for (const int each : ranks) ++all[each];
  return all;
}

}  // namespace

neighborhood_state::neighborhood_state(const team& among, const neighbors& mine,
                                       const std::optional<grid>& on)
    : among_(among),
      sources_(mine.sources.begin(), mine.sources.end()),
      destinations_(mine.destinations.begin(), mine.destinations.end()),
      nodes_(nodes_of(among)) {
  if (on && on->ranks() != among.size()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: neighborhood: a grid of {} ranks for a team of {}",
                            among.here().rank(), on->ranks(), among.size()));
  }
  check_ranks();
  check_edges();
  reach_ = reach_of(among, destinations_, on);
}

/// All members refuse together: nobody waits for one that has thrown.
void neighborhood_state::check_ranks() const {
  int wrong = 0;
  std::string text = fmt::format(
      "rank {}: neighborhood: another member names a rank outside the team", among_.here().rank());
  for (const auto* list : {&sources_, &destinations_}) {
    for (const int each : *list) {
      if (each >= 0 && each < among_.size()) continue;
      wrong = 1;
      text = fmt::format("rank {}: neighborhood: {} {} is not in the team of {} ranks",
                         among_.here().rank(), list == &sources_ ? "source" : "destination", each,
                         among_.size());
    }
  }
  if (all_reduce<most>(among_, blocking, wrong) != 0) throw error(error_kind::argument, text);
}

void neighborhood_state::check_edges() const {
  std::vector<letter> going;
  for (const auto& [to, edges] : times(destinations_)) going.push_back({to, {edges}});
  std::map<int, int> named;
  for (const letter& each : exchange_letters(among_, std::move(going))) {
    named[each.peer] = each.words[0];
  }
  std::map<int, int> expected = times(sources_);
  std::string text = fmt::format(
      "rank {}: neighborhood: other members name edges that one end does "
      "not know of",
      among_.here().rank());
  const bool agree = named == expected;
  for (int source = 0; source < among_.size() && !agree; ++source) {
    const int here = expected.contains(source) ? expected.at(source) : 0;
    const int there = named.contains(source) ? named.at(source) : 0;
    if (here == there) continue;
    text = fmt::format(
        "rank {}: neighborhood: member {} names {} edges to member {}, which names {} from it; "
        "name "
        "each edge at both ends",
        among_.here().rank(), source, there, among_.rank(), here);
    break;
  }
  if (all_reduce<most>(among_, blocking, agree ? 0 : 1) != 0) {
    throw error(error_kind::argument, text);
  }
}

std::shared_ptr<const relay_plan> neighborhood_state::plan_of(std::string_view scheme, contents of,
                                                              std::uint64_t bytes) {
  if (scheme != "best") return plan_of(scheme, of);
  auto found = best_.find(of);
  if (found == best_.end()) found = best_.emplace(of, choose_schemes(*this, of)).first;
  return plan_of(found->second[class_of(bytes)], of);
}

std::shared_ptr<const relay_plan> neighborhood_state::plan_of(std::string_view scheme,
                                                              contents of) {
  const std::pair key{std::string(scheme), of};
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  const chosen_scheme chosen = scheme_named(scheme);
  if (chosen.is->needs_grid && !reach_) {
    throw error(error_kind::argument,
                fmt::format("rank {}: neighborhood: scheme {} goes along the dimensions of a grid; "
                            "make the neighborhood with one",
                            among_.here().rank(), scheme));
  }
  router at(among_.rank(), {&nodes_, reach_ ? &*reach_ : nullptr}, destinations_, sources_, of);
  auto made = std::make_shared<relay_plan>(plan_together(among_, at, chosen.route(at)));
  return plans_.emplace(key, std::move(made)).first->second;
}

std::shared_ptr<relay_call> neighborhood_state::call_of(
    const std::shared_ptr<const relay_plan>& plan, std::uint64_t bytes) {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const kept_call& each) {
    return each.plan == plan.get() && each.bytes == bytes;
  });
  if (found != calls_.end()) {
    std::rotate(calls_.begin(), found, found + 1);
    return calls_.front().call;
  }
  if (calls_.size() == most_calls) calls_.pop_back();
  calls_.insert(calls_.begin(), {plan.get(), bytes, std::make_shared<relay_call>(plan, bytes)});
  return calls_.front().call;
}

}  // namespace upwash::neighborhoods::detail
