// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/detail/neighborhood_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/values.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/reach.hpp"

namespace upwash::neighborhoods::detail {
namespace {

model::node_map nodes_of(const team& among) {
  const conduit::endpoint& where = host(among.here()).endpoint();
  std::vector<int> node_of(static_cast<std::size_t>(among.size()));
  for (int member = 0; member < among.size(); ++member) {
    node_of[static_cast<std::size_t>(member)] = where.place(among.world_rank(member)).node;
  }
  return model::node_map(node_of);
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

/// Another number for another grid, and for none.
std::uint64_t mark_of(const std::optional<grid>& on) {
  if (!on) return 0;
  std::uint64_t mark = 1;
  for (int i = 0; i < on->dimensions(); ++i) {
    mark = random_bits(mark, static_cast<std::uint64_t>(on->size(i)), on->periodic(i) ? 1 : 0);
  }
  return mark;
}

std::string text_of(const std::optional<grid>& on) {
  if (!on) return "none";
  std::string text;
  for (int i = 0; i < on->dimensions(); ++i) {
    text += fmt::format("{}{}{}", i == 0 ? "" : " x ", on->size(i), on->periodic(i) ? " ring" : "");
  }
  return text;
}

/// What a member says. Collective, blocking.
std::string words_of(const team& among, int member, const std::string& own) {
  std::array<char, 256> words{};
  own.copy(words.data(), words.size() - 1);
  control::broadcast_value(among, member, words);
  return words.data();
}

}  // namespace

neighborhood_state::neighborhood_state(const team& among, const neighbors& mine,
                                       const std::optional<grid>& on,
                                       const neighborhood_options& how, std::string objection)
    : among_(among),
      how_(how),
      sources_(mine.sources.begin(), mine.sources.end()),
      destinations_(mine.destinations.begin(), mine.destinations.end()),
      source_weights_(mine.source_weights.begin(), mine.source_weights.end()),
      destination_weights_(mine.destination_weights.begin(), mine.destination_weights.end()),
      nodes_(nodes_of(among)) {
  check_neighbors(on, std::move(objection));
  reach_ = reach_of(among, destinations_, on);
}

/// What is wrong with the ranks that this one names; empty: nothing.
std::string neighborhood_state::objection_to_ranks() const {
  for (const auto* list : {&sources_, &destinations_}) {
    for (const int each : *list) {
      if (each >= 0 && each < among_.size()) continue;
      return fmt::format("{} {} is not in the team of {} ranks",
                         list == &sources_ ? "source" : "destination", each, among_.size());
    }
  }
  return {};
}

std::string objection_to_weights(const char* of, std::size_t edges, std::span<const int> weights) {
  if (!weights.empty() && weights.size() != edges) {
    return fmt::format("{} weights for {} {}; give one for each, or none", weights.size(), edges,
                       of);
  }
  for (const int each : weights) {
    if (each < 0) return fmt::format("a weight of the {} is {}; give 0 or above", of, each);
  }
  return {};
}

std::string neighborhood_state::objection_to_weights() const {
  std::string wrong = detail::objection_to_weights("sources", sources_.size(), source_weights_);
  if (!wrong.empty()) return wrong;
  return detail::objection_to_weights("destinations", destinations_.size(), destination_weights_);
}

std::string neighborhood_state::objection_to_grid(const std::optional<grid>& on) const {
  if (!on || on->ranks() == among_.size()) return {};
  return fmt::format("a grid of {} ranks for a team of {}", on->ranks(), among_.size());
}

/// Against the edges to this rank that each member names.
std::string neighborhood_state::objection_to_edges() const {
  std::map<int, int> named;
  for (const letter& each : edges_here_) named[each.peer] = static_cast<int>(each.words.size());
  const std::map<int, int> expected = times(sources_);
  if (named == expected) return {};
  int source = 0;
  const auto edges = [&](const std::map<int, int>& by) {
    return by.contains(source) ? by.at(source) : 0;
  };
  while (edges(named) == edges(expected)) ++source;
  return fmt::format(
      "member {} names {} edges to member {}, which names {} from it; name each edge at both ends",
      source, edges(named), among_.rank(), edges(expected));
}

/// All members refuse together: nobody waits for one that has thrown.
void neighborhood_state::check_neighbors(const std::optional<grid>& on, std::string wrong) {
  if (wrong.empty()) wrong = objection_to_grid(on);
  if (wrong.empty()) wrong = objection_to_ranks();
  if (wrong.empty()) wrong = objection_to_weights();
  const bool alone = !wrong.empty();
  std::map<int, letter> going;
  for (std::size_t i = 0; i < destinations_.size(); ++i) {
    const int to = destinations_[i];
    if (to < 0 || to >= among_.size()) continue;
    going[to].peer = to;
    going[to].words.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<letter> letters;
  for (auto& [to, each] : going) letters.push_back(std::move(each));
  edges_here_ = exchange_letters(among_, std::move(letters));
  if (wrong.empty()) wrong = objection_to_edges();
  // One reduction: the first member that refuses, most edges, the greatest mark of a grid and the
  // least, and so of the way. What is wrong at one end of an edge is more often what the other end
  // gave.
  const int members = among_.size();
  const int objection = wrong.empty() ? 0 : members - among_.rank() + (alone ? members : 0);
  const std::uint64_t mark = mark_of(on);
  const auto way = static_cast<std::uint64_t>(how_.plans_by);
  // Neighbours that are wrong may lie outside the team.
  if (wrong.empty()) counts_ = counts_of(among_.rank(), destinations_, sources_, nodes_);
  const std::array<std::uint64_t, 9> own{static_cast<std::uint64_t>(objection),
                                         destinations_.size(),
                                         sources_.size(),
                                         mark,
                                         ~mark,
                                         way,
                                         ~way,
                                         counts_.destinations,
                                         counts_.sources};
  std::array<std::uint64_t, own.size()> of_all{};
  all_reduce<most>(among_, blocking, std::span<const std::uint64_t>(own),
                   std::span<std::uint64_t>(of_all));
  most_destinations_ = static_cast<int>(of_all[1]);
  most_sources_ = static_cast<int>(of_all[2]);
  facts_.most_destinations = static_cast<int>(of_all[7]);
  facts_.most_sources = static_cast<int>(of_all[8]);
  const bool same_grid = of_all[3] == ~of_all[4];
  const bool same_way = of_all[5] == ~of_all[6];
  if (of_all[0] == 0 && same_grid && same_way) return;
  if (of_all[0] != 0) {
    const int first = (2 * members - static_cast<int>(of_all[0])) % members;
    const std::string words = words_of(among_, first, wrong);
    if (first != among_.rank()) wrong = fmt::format("member {} refuses: {}", first, words);
  } else if (!same_way) {
    wrong = fmt::format("plans_by is {} here and another at other members; give all the same",
                        how_.plans_by == agree_by::puts ? "puts" : "messages");
  } else {
    wrong = fmt::format(
        "members give different grids, or some give none; this one gives {}; give the same at all",
        text_of(on));
  }
  throw error(error_kind::argument,
              fmt::format("rank {}: neighborhood: {}", among_.here().rank(), wrong));
}

scene neighborhood_state::where() const {
  const bool several = nodes_.nodes() > 1;
  const bool in_company = nodes_.nodes() < among_.size();  // somebody shares a node
  return {.on_grid = reach_.has_value(),
          .several_nodes = several,
          .shares_memory = all_direct(among_),
          .nodes_share_memory = several && in_company && nodes_direct(among_)};
}

/// Agrees on how much memory the calls of a plan take that hands over blocks inside nodes.
/// Collective, blocking.
void neighborhood_state::share_inside_nodes(relay_plan& made) {
  node_scratch_ = collective::share_inside_nodes(among_);
  const std::uint32_t used = made.places_used;
  all_reduce<most>(among_, blocking, std::span(&used, 1), std::span(&made.most_places, 1));
}

std::shared_ptr<const relay_plan> neighborhood_state::plan_of(std::string_view scheme, contents of,
                                                              std::uint64_t bytes) {
  if (scheme != "best") return plan_of(scheme, of);
  const std::pair key{of, class_of(bytes)};
  auto found = best_.find(key);
  if (found == best_.end()) {
    const std::uint64_t each = looked_at[key.second];
    found = best_
                .emplace(key, choose_scheme(*this, of, each,
                                            [&](const auto& plan) {
                                              return std::make_shared<relay_call>(
                                                  plan, each, plan->hands_over ? node_scratch_ : 0);
                                            }))
                .first;
  }
  return plan_of(found->second, of);
}

const graph_facts& neighborhood_state::facts() {
  if (!knows_means_) {
    const std::array<std::uint64_t, 2> own{counts_.destinations, counts_.far_destinations};
    std::array<std::uint64_t, own.size()> all{};
    all_reduce<sum>(among_, blocking, std::span<const std::uint64_t>(own),
                    std::span<std::uint64_t>(all));
    facts_.destinations = static_cast<double>(all[0]) / among_.size();
    facts_.far_destinations = static_cast<double>(all[1]) / among_.size();
    facts_.coordinates = reach_ ? &*reach_ : nullptr;
    knows_means_ = true;
  }
  return facts_;
}

std::shared_ptr<const relay_plan> neighborhood_state::plan_of(std::string_view scheme,
                                                              contents of) {
  const std::pair key{std::string(scheme), of};
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  const chosen_scheme chosen = scheme_named(scheme);
  if (chosen.is->facts.needs_grid && !reach_) {
    throw error(error_kind::argument,
                fmt::format("rank {}: neighborhood: scheme {} goes along the dimensions of a grid; "
                            "make the neighborhood with one",
                            among_.here().rank(), scheme));
  }
  const scene in = where();
  if (chosen.is->facts.shares_memory && !in.shares_memory && !nodes_direct(among_)) {
    throw error(error_kind::argument,
                fmt::format("rank {}: neighborhood: scheme {} is for members that load and store "
                            "each other's memory, all or those of each node; name another, or none",
                            among_.here().rank(), scheme));
  }
  const bool handed = hands_over(chosen, in);
  router at(among_.rank(), {&nodes_, reach_ ? &*reach_ : nullptr, most_destinations_, handed},
            destinations_, sources_, of);
  auto made = std::make_shared<relay_plan>(
      chosen.is->facts.straight ? plan_straight(at, chosen.route(at), edges_here_)
                                : plan_together(among_, at, chosen.route(at), how_.plans_by));
  if (handed) share_inside_nodes(*made);
  return plans_.emplace(key, std::move(made)).first->second;
}

std::shared_ptr<relay_call> neighborhood_state::call_of(
    const std::shared_ptr<const relay_plan>& plan, std::uint64_t bytes, bool by_messages) {
  const bool inside_nodes = plan->hands_over && !by_messages;
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const kept_call& each) {
    return each.plan == plan.get() && each.bytes == bytes && each.inside_nodes == inside_nodes;
  });
  if (found != calls_.end()) {
    std::rotate(calls_.begin(), found, found + 1);
    return calls_.front().call;
  }
  if (calls_.size() == most_calls) calls_.pop_back();
  calls_.insert(calls_.begin(),
                {plan.get(), bytes, inside_nodes,
                 std::make_shared<relay_call>(plan, bytes, inside_nodes ? node_scratch_ : 0)});
  return calls_.front().call;
}

}  // namespace upwash::neighborhoods::detail
