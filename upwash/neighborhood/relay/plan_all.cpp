// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/plan_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "upwash/base/error.hpp"

namespace upwash::neighborhoods {

std::optional<grid_reach> reach_of(const process_graph& graph) {
  if (!graph.coordinates()) return {};
  grid_reach reach(*graph.coordinates());
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    for (const int to : graph.destinations(rank)) reach.include(rank, to);
  }
  return reach;
}

all_plans plan_all(const process_graph& graph, const model::node_map& nodes, contents of,
                   function_ref<routing(router&)> scheme, bool hands_over) {
  const std::optional<grid_reach> reach = reach_of(graph);
  surroundings in{&nodes, reach ? &*reach : nullptr, 0, hands_over};
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    in.most_destinations =
        std::max(in.most_destinations, static_cast<int>(graph.destinations(rank).size()));
  }
  const auto ranks = static_cast<std::size_t>(graph.ranks());
  std::vector<std::unique_ptr<router>> routers;
  std::vector<routing> routings;
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    routers.push_back(
        std::make_unique<router>(rank, in, graph.destinations(rank), graph.sources(rank), of));
    routings.push_back(scheme(*routers.back()));
  }
  all_plans made;
  std::vector<std::vector<letter>> inboxes(ranks);
  for (std::size_t going = ranks; going > 0; ++made.rounds) {
    going = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      going += routings[rank].resume() ? 1U : 0U;
      for (letter& each : routers[rank]->take_letters()) {
        if (each.words.size() == letter::header_words + static_cast<std::size_t>(each.words[0])) {
          ++made.control_letters;
        }
        inboxes[static_cast<std::size_t>(each.peer)].push_back(
            {static_cast<int>(rank), std::move(each.words)});
      }
    }
    if (going != 0 && going != ranks) {
      throw error(error_kind::fault, fmt::format("a scheme ends in round {} at {} of {} ranks",
                                                 made.rounds, ranks - going, ranks));
    }
    for (std::size_t rank = 0; rank < ranks && going != 0; ++rank) {
      routers[rank]->take_in(std::exchange(inboxes[rank], {}));
    }
  }
  for (auto& each : routers) {
    made.noted += each->noted();
    made.of.push_back(each->finish());
    each.reset();
  }
  std::uint32_t most = 0;
  for (const relay_plan& each : made.of) most = std::max(most, each.places_used);
  for (relay_plan& each : made.of) each.most_places = most;
  return made;
}

namespace {

/// A block: whose, and which of those.
using block = std::pair<int, std::uint32_t>;

/// What all ranks hold while their plans run, round by round.
class abstract_run {
 public:
  abstract_run(const process_graph& graph, contents of, const std::vector<relay_plan>& plans)
      : graph_(graph), of_(of), plans_(plans), next_round_(plans.size()), held_(plans.size()) {
    for (std::size_t rank = 0; rank < plans.size(); ++rank) {
      for (std::uint32_t slot = 0; slot < plans[rank].own_slots; ++slot) {
        held_[rank].emplace_back(static_cast<int>(rank), slot);
      }
    }
  }

  std::string run() {
    std::uint32_t last = 0;
    for (const relay_plan& each : plans_) {
      if (!each.rounds.empty()) last = std::max(last, each.rounds.back().number);
    }
    for (std::uint32_t number = 0; number <= last; ++number) {
      under_way_.clear();
      for (std::size_t rank = 0; rank < plans_.size(); ++rank) send(rank, number);
      for (std::size_t rank = 0; rank < plans_.size() && wrong_.empty(); ++rank) {
        receive(rank, number);
      }
      if (wrong_.empty() && !under_way_.empty()) {
        const auto& [who, blocks] = *under_way_.begin();
        wrong_ = fmt::format("rank {} does not receive what rank {} sends in round {}", who.second,
                             who.first, number);
      }
      if (!wrong_.empty()) return wrong_;
    }
    for (std::size_t rank = 0; rank < plans_.size() && wrong_.empty(); ++rank) arrive(rank);
    return wrong_;
  }

 private:
  /// The first and the last of a rank's messages in its next round, if that is this one.
  template <class Ends>
  [[nodiscard]] std::pair<std::size_t, std::size_t> of_round(std::size_t rank, std::uint32_t number,
                                                             Ends ends) const {
    const auto& rounds = plans_[rank].rounds;
    const std::size_t at = next_round_[rank];
    if (at >= rounds.size() || rounds[at].number != number) return {0, 0};
    return {at == 0 ? 0 : ends(rounds[at - 1]), ends(rounds[at])};
  }

  void send(std::size_t rank, std::uint32_t number) {
    const auto [first, end] =
        of_round(rank, number, [](const relay_plan::round& r) { return r.sends_end; });
    for (std::size_t i = first; i < end; ++i) {
      const relay_plan::message& one = plans_[rank].sends[i];
      std::vector<block>& goes = under_way_[{static_cast<int>(rank), one.peer}];
      if (!goes.empty()) wrong_ = fmt::format("rank {} sends twice to rank {}", rank, one.peer);
      for (const std::uint32_t slot : plans_[rank].blocks_of(one)) {
        if (slot >= held_[rank].size()) {
          wrong_ = fmt::format("rank {} sends slot {} in round {} before it is there", rank, slot,
                               number);
          return;
        }
        goes.push_back(held_[rank][slot]);
      }
    }
  }

  void receive(std::size_t rank, std::uint32_t number) {
    const auto [first, end] =
        of_round(rank, number, [](const relay_plan::round& r) { return r.receives_end; });
    for (std::size_t i = first; i < end; ++i) {
      const relay_plan::message& one = plans_[rank].receives[i];
      const auto found = under_way_.find({one.peer, static_cast<int>(rank)});
      if (found == under_way_.end() || found->second.size() != one.count ||
          one.first != held_[rank].size()) {
        wrong_ = fmt::format("rank {} waits for {} blocks of rank {} in round {}", rank, one.count,
                             one.peer, number);
        return;
      }
      if (!lies_there(rank, one, found->second)) return;
      held_[rank].insert(held_[rank].end(), found->second.begin(), found->second.end());
      under_way_.erase(found);
    }
    const auto& rounds = plans_[rank].rounds;
    if (next_round_[rank] < rounds.size() && rounds[next_round_[rank]].number == number) {
      ++next_round_[rank];
    }
  }

  /// In shared memory: where the receiver looks is what it should get.
  bool lies_there(std::size_t rank, const relay_plan::message& one,
                  const std::vector<block>& blocks) {
    const relay_plan& plan = plans_[rank];
    if (one.is_handed_over()) return is_readable(rank, one, blocks);
    for (std::size_t i = 0; i < blocks.size() && plan.shared_slots > 0; ++i) {
      const std::uint32_t there = plan.slots_there[one.first - plan.own_slots + i];
      if (there < plan.shared_slots && block{one.peer, there} == blocks[i]) continue;
      wrong_ = fmt::format("rank {} reads slot {} of rank {} for another", rank, there, one.peer);
      return false;
    }
    return true;
  }

  /// Of one that is handed over: the sender says so by then, and has it where the receiver looks.
  bool is_readable(std::size_t rank, const relay_plan::message& one,
                   const std::vector<block>& blocks) {
    const auto peer = static_cast<std::size_t>(one.peer);
    const relay_plan& theirs = plans_[peer];
    const std::size_t sent = next_round_[peer];  // ranks before this one have gone on already
    const auto& now = theirs.rounds[peer < rank ? sent - 1 : sent];
    std::string wrong = one.signals <= now.signals ? "" : "waits for more signals than there are";
    for (std::size_t i = 0; i < blocks.size() && wrong.empty(); ++i) {
      const std::uint32_t there = plans_[rank].slots_there[one.first - plans_[rank].own_slots + i];
      const auto at = std::find(theirs.places.begin(), theirs.places.end(), there);
      const auto slot = static_cast<std::size_t>(at - theirs.places.begin());
      if (at == theirs.places.end() || there >= theirs.most_places ||
          held_[peer][slot] != blocks[i]) {
        wrong = fmt::format("reads place {} for another block", there);
      }
    }
    if (!wrong.empty()) wrong_ = fmt::format("rank {} {} of rank {}", rank, wrong, peer);
    return wrong.empty();
  }

  /// The slot of a source that has edges to this rank: of several, each once.
  void arrive(std::size_t rank) {
    const auto sources = graph_.sources(static_cast<int>(rank));
    std::vector<int> times(sources.size());
    std::set<block> seen;
    for (const relay_plan::delivery& each : plans_[rank].deliveries) {
      const block is = held_[rank][each.slot];
      const bool same = of_ == contents::same_for_all;
      const bool meant =
          is.first == sources[each.source] &&
          (same || graph_.destinations(is.first)[is.second] == static_cast<int>(rank));
      if (!meant || (!same && !seen.insert(is).second)) {
        wrong_ = fmt::format("rank {} takes block {} of rank {} for that of rank {}", rank,
                             is.second, is.first, sources[each.source]);
        return;
      }
      ++times[each.source];
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] == 1) continue;
      wrong_ = fmt::format("rank {} gets the block of its source {} {} times", rank, sources[i],
                           times[i]);
      return;
    }
  }

  const process_graph& graph_;
  contents of_;
  const std::vector<relay_plan>& plans_;
  std::vector<std::size_t> next_round_;
  std::vector<std::vector<block>> held_;
  std::map<std::pair<int, int>, std::vector<block>> under_way_;  ///< by sender and receiver
  std::string wrong_;
};

}  // namespace

std::string check(const process_graph& graph, contents of, const std::vector<relay_plan>& plans) {
  return abstract_run(graph, of, plans).run();
}

traffic_of_plans count(const std::vector<relay_plan>& plans, const model::node_map& nodes) {
  traffic_of_plans all;
  std::set<std::uint32_t> rounds;
  std::uint64_t messages = 0;
  std::uint64_t between = 0;
  std::uint64_t volume = 0;
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    const relay_plan& each = plans[rank];
    if (each.shared_slots > 0) {  // laid out once; nothing is sent
      const std::uint64_t laid_out = each.sends.empty() ? 0 : each.own_slots;
      volume += laid_out;
      all.most_volume = std::max(all.most_volume, laid_out);
      all.plan_bytes += each.bytes();
      continue;
    }
    std::uint64_t sends = 0;
    std::uint64_t blocks = each.laid.size();
    for (const relay_plan::message& one : each.sends) {
      if (!nodes.together(static_cast<int>(rank), one.peer)) ++between;
      if (one.is_handed_over()) continue;
      ++sends;
      blocks += one.count;
    }
    for (const relay_plan::round& one : each.rounds) rounds.insert(one.number);
    messages += sends;
    volume += blocks;
    all.most_messages = std::max(all.most_messages, sends);
    all.most_volume = std::max(all.most_volume, blocks);
    all.plan_bytes += each.bytes();
  }
  const auto ranks = static_cast<double>(plans.size());
  all.messages = static_cast<double>(messages) / ranks;
  all.between_nodes = static_cast<double>(between) / ranks;
  all.volume = static_cast<double>(volume) / ranks;
  all.rounds = static_cast<std::uint32_t>(rounds.size());
  return all;
}

}  // namespace upwash::neighborhoods
