// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/candidates.hpp"

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/compact.hpp"
#include "upwash/model/cost.hpp"
#include "upwash/schedule/least_time.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::collective {
namespace {

constexpr std::size_t most_candidates = 32;
constexpr int few_ranks = 8;  ///< a price of so many takes less than a bound that spares it

/// The initial value first.
std::vector<std::uint64_t> values_to_try(const model::parameter& of, const problem& call) {
  std::vector<std::uint64_t> values{of.initial};
  const auto add = [&](std::uint64_t value) {
    if (value >= of.least && value <= of.most && value != of.initial) values.push_back(value);
  };
  const auto ranks = static_cast<std::uint64_t>(call.ranks);
  switch (of.tries) {
    case model::trial::radices:
      add(0);
      for (std::uint64_t value = 1; value < ranks && value <= of.most; value *= 2) add(value);
      break;
    case model::trial::sizes:
      add(0);
      for (std::uint64_t value = 1024; value < call.bytes; value *= 4) add(value);
      break;
    case model::trial::each:
      for (std::uint64_t value = of.least; value <= of.most; ++value) add(value);
      break;
    case model::trial::none: break;
  }
  return values;
}

/// Where all combinations are too many, the longest list loses every second of its values but the
/// first.
void thin_out(std::vector<std::vector<std::uint64_t>>& lists) {
  const auto product = [&] {
    std::size_t all = 1;
    for (const auto& each : lists) all *= each.size();
    return all;
  };
  while (product() > most_candidates) {
    auto& longest = *std::max_element(lists.begin(), lists.end(), [](const auto& a, const auto& b) {
      return a.size() < b.size();
    });
    std::vector<std::uint64_t> kept;
    for (std::size_t i = 0; i < longest.size(); i += 2) kept.push_back(longest[i]);
    longest = std::move(kept);
  }
}

/// From one rank that waits to the next of its process, with the look at what it waits for:
/// `upwash bench barrier -n 16 --ranks-per-process 16`, control, by its 16 turns.
constexpr duration rank_turn = duration::from_ns(50);

/// Ranks of a process take turns; where a node has more processes than cores, so do these, once for
/// all ranks of each.
std::optional<duration> turn_of(const machine& on, const problem& call) {
  if (call.processes == 0) return std::nullopt;
  const processor_costs& processor = on.processor;
  const std::int64_t nodes = (call.ranks + call.ranks_per_node - 1) / call.ranks_per_node;
  const std::int64_t on_node = (call.processes + nodes - 1) / nodes;
  if (on_node <= processor.cores_per_node.value_or(on_node)) return rank_turn;
  const duration all = processor.core_switch.value_or(duration()) * call.processes;
  return rank_turn + duration::from_ps(all.ps() / call.ranks);
}

/// The machine with nodes as the members of the team are placed; nothing: it has them so already,
/// or nobody knows. Members that do not follow each other are priced as if they did.
std::optional<machine> laid_out(const machine& on, const problem& call) {
  if (on.levels.back().kind <= level_kind::node) return std::nullopt;
  const int room = on.ranks_in(level_kind::node);
  int each = call.ranks_per_node;
  if (call.nodes) each = (call.ranks + call.nodes->nodes() - 1) / call.nodes->nodes();
  const bool all_on_one = each >= call.ranks && room >= call.ranks;
  if (each <= 1 || each == room || all_on_one) return std::nullopt;
  machine placed = on;
  machine_level* outermost = nullptr;  // of a node
  for (machine_level& level : placed.levels) {
    if (level.kind > level_kind::node) break;
    level.ranks = std::min(level.ranks.value_or(each), each);
    outermost = &level;
  }
  if (outermost != nullptr) outermost->ranks = each;
  return placed;
}

schedule::price_options options_for(const machine& on, const problem& call) {
  schedule::price_options options;
  options.free_where_absent = true;
  options.core_switch = turn_of(on, call);
  return options;
}

}  // namespace

std::vector<selection> candidates_of(const algorithm& one, const problem& call) {
  std::vector<std::vector<std::uint64_t>> lists;
  for (const model::parameter& each : one.is.parameters) {
    lists.push_back(values_to_try(each, call));
  }
  thin_out(lists);
  std::vector<selection> found;
  std::vector<std::size_t> at(lists.size(), 0);
  for (bool more = true; more;) {
    selection next{&one};
    for (std::size_t i = 0; i < lists.size(); ++i) next.with[i] = lists[i][at[i]];
    if (registry::objection(next, call).empty()) found.push_back(next);
    more = false;
    for (std::size_t i = 0; i < lists.size() && !more; ++i) {
      more = ++at[i] < lists[i].size();
      if (!more) at[i] = 0;
    }
  }
  return found;
}

std::vector<selection> candidates(const registry& from, const problem& call) {
  std::vector<selection> all;
  for (const algorithm* each : from.of(call.of)) {
    const auto its = candidates_of(*each, call);
    all.insert(all.end(), its.begin(), its.end());
  }
  return all;
}

std::uint64_t steps_worth_a_choice(int ranks) noexcept {
  const auto all = static_cast<std::uint64_t>(ranks);
  // Whatever the size of the team, its trees are priced: some steps a rank.
  return std::max<std::uint64_t>(std::clamp<std::uint64_t>(all * 800, 10'000, 200'000), all * 8);
}

predictor::predictor(const machine& on)
    : on_(on), eager_(model::with_edges(on)), edged_between_(eager_.on()) {
  // Where no network is known, what is known of the node stands for it.
  const bool knows_network = on.levels.back().kind > level_kind::node;
  for (std::size_t i = 0; knows_network && i < on.levels.size(); ++i) {
    if (on.levels[i].kind <= level_kind::node) edged_between_.levels[i] = on.levels[i];
  }
}

/// What does not run on the board's lines goes through the executor. Inside nodes that share memory
/// these are counters and scratch of the board, too, and no messages.
const machine& predictor::seen_by(const selection& one, const problem& call) const {
  const schedule::generator steps = one.schedule_of(call, call.root);
  if (steps.wants().inside_nodes) return edged_between_;
  const bool fetches = steps.wants().exposes_input || steps.wants().exposes_output;
  return call.direct_access && !fetches &&
                 detail::fits_board(steps, call.ranks, call.root, call.shared_scratch)
             ? on_
             : edged();
}

duration predictor::least(const selection& one, const problem& call, duration enough) const {
  constexpr std::uint64_t most_steps = 8'000;
  if (call.ranks <= few_ranks || call.overlapped) return {};
  schedule::price_options options = options_for(on_, call);
  options.most_time = enough;
  const machine& seen = seen_by(one, call);
  const auto placed = laid_out(seen, call);
  try {
    return schedule::least_time(
        call.ranks, call.root, [&](int rank) { return one.priced_schedule_of(call, rank); },
        placed ? *placed : seen, rules_of(one, call), options, most_steps);
  } catch (const error&) {
    return {};  // it asks for what is known in a run only
  }
}

/// Of few ranks, or of one that stands for all: its price takes a few times as long as the bound.
bool predictor::is_cheap(const selection& one, const problem& call) const {
  if (call.ranks <= few_ranks) return true;
  if (on_.levels.size() > 1) return false;
  const schedule::generator steps = one.priced_schedule_of(call, call.root);
  return steps.wants().alike || steps.wants().busiest >= 0;
}

predictor::prediction predictor::predict(const selection& one, const problem& call,
                                         std::uint64_t most_steps, duration enough) const {
  schedule::price_options options = options_for(on_, call);
  options.most_steps = most_steps;
  options.coarse = true;
  if (!call.overlapped) options.most_time = enough;
  if (enough != duration::max() && !is_cheap(one, call) && least(one, call, enough) > enough) {
    return {};
  }
  options.steps_before_skipping = most_steps / 8;
  const prediction unpriced{std::nullopt, most_steps / 4};  // about: it does not say where it stops
  const machine& seen = seen_by(one, call);
  const auto placed = laid_out(seen, call);
  try {
    const auto priced = schedule::price(
        call.ranks, [&](int rank) { return one.priced_schedule_of(call, rank); },
        placed ? *placed : seen, rules_of(one, call), options);
    if (priced.completion == duration::max()) return unpriced;
    return {call.overlapped ? priced.processor_most : priced.completion, priced.steps_walked,
            priced.edge_sizes};
  } catch (const error&) {
    return unpriced;
  }
}

std::uint64_t effort_of_a_rank(const selection& one, const problem& call) {
  constexpr std::uint64_t bytes_a_message = 8192;
  constexpr int most_steps = 200'000;
  std::uint64_t effort = 0;
  try {
    schedule::generator steps = one.priced_schedule_of(call, call.ranks / 2);
    int walked = 0;
    for (schedule::step s; steps.next(s);) {
      if (++walked > most_steps) return UINT64_MAX;
      effort += s.left.bytes + s.into.bytes;
      if (s.kind == schedule::step_kind::send || s.kind == schedule::step_kind::receive) {
        effort += bytes_a_message;
      }
    }
  } catch (const error&) {
    return UINT64_MAX;
  }
  return effort;
}

std::vector<ranked> with_other_eager_sizes(const selection& one, std::uint64_t edge_sizes,
                                           const problem& call, const predictor& by,
                                           std::uint64_t most_steps, duration enough) {
  std::vector<ranked> found;
  if (edge_sizes == 0) return found;
  const std::uint64_t now = one.eager_bytes.value_or(call.eager_bytes);
  std::vector<std::uint64_t> tried{now};
  for (const std::uint64_t size : by.eager().worth_a_price(call)) {
    const auto same = [&](std::uint64_t other) {
      return !travels_otherwise(edge_sizes, size, other);
    };
    if (std::any_of(tried.begin(), tried.end(), same)) continue;
    tried.push_back(size);
    selection other = one;
    other.eager_bytes = size;
    const auto time = by.predict(other, call, most_steps, enough).time;
    if (!time) continue;
    found.push_back({other, time});
    enough = std::min(enough, *time);
  }
  return found;
}

std::vector<ranked> ranking(const std::vector<selection>& all, const problem& call,
                            const predictor& by, std::uint64_t most_steps) {
  return ranking(all, call, by, most_steps, [](std::size_t) {});
}

std::vector<ranked> ranking(const std::vector<selection>& all, const problem& call,
                            const predictor& by, std::uint64_t most_steps,
                            function_ref<void(std::size_t)> done) {
  constexpr std::size_t also_otherwise = 3;
  std::vector<std::pair<ranked, std::uint64_t>> priced;
  for (const selection& each : all) {
    const auto seen = by.predict(each, call, most_steps);
    priced.push_back({{each, seen.time}, seen.edge_sizes});
    done(priced.size());
  }
  const auto earlier = [](const ranked& a, const ranked& b) {
    return a.predicted.value_or(duration::max()) < b.predicted.value_or(duration::max());
  };
  std::stable_sort(priced.begin(), priced.end(),
                   [&](const auto& a, const auto& b) { return earlier(a.first, b.first); });
  std::vector<ranked> found;
  for (std::size_t i = 0; i < priced.size(); ++i) {
    const auto& [one, edge_sizes] = priced[i];
    found.push_back(one);
    if (i >= also_otherwise) continue;
    for (const ranked& other : with_other_eager_sizes(one.what, edge_sizes, call, by, most_steps)) {
      if (earlier(other, one)) found.push_back(other);
    }
  }
  std::stable_sort(found.begin(), found.end(), earlier);
  return found;
}

}  // namespace upwash::collective
