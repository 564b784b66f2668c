// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/price.hpp"

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "upwash/base/error.hpp"
#include "upwash/schedule/detail/event_run.hpp"

namespace upwash::schedule {
namespace {

using detail::event_run;
using detail::run_end;
using detail::run_plan;

constexpr int most_representatives = 256;
constexpr int few_ranks = 256;       ///< are all walked, unless they are alike
constexpr int members_worth_it = 8;  ///< of a class, in the mean, for each that is walked
constexpr int many_ranks = 16'384;
constexpr int most_ranks_walked = 1 << 20;     ///< a gigabyte
constexpr std::uint32_t executor_window = 32;  ///< of an executor, at least
constexpr std::uint32_t small_window = 8;      ///< so that many ranks fit into memory

/// Ranks so far apart see the same levels around them.
int ranks_until_alike(const machine& on) {
  int ranks = 1;
  for (const machine_level& level : on.levels) {
    if (level.ranks && *level.ranks <= most_representatives) ranks = std::max(ranks, *level.ranks);
  }
  return ranks;
}

/// Ranks of a node that share its ports.
int ranks_on_port(const machine& on, int ranks) {
  const bool shared = on.levels.size() > 1 && on.nic.of == nic_protocol::owner::node;
  return shared ? std::min(on.ranks_in(level_kind::node), ranks) : 1;
}

struct attempt {
  int ranks;
  function_ref<generator(int)> schedule_of;
  const machine& on;
  const transfer_rules& rules;
  const price_options& options;

  /// Nothing: priced; else why not.
  std::optional<error> with(run_plan plan, price_result& result) const {
    plan.ranks = ranks;
    plan.least_window = plan.walked > many_ranks ? small_window : executor_window;
    // What a window lets through comes back as a batch a window later.
    plan.rounds_in_unit = std::lcm(plan.rounds_in_unit, plan.least_window);
    event_run run(plan, schedule_of, on, rules, options);
    switch (run.run()) {
      case run_end::complete: run.write_result(result); return {};
      case run_end::stuck: return error(error_kind::fault, "price: " + run.what_is_stuck());
      case run_end::too_late:
        return error(error_kind::argument,
                     fmt::format("price: it takes longer than {} us", options.most_time.us()));
      case run_end::too_long: break;
    }
    return error(error_kind::argument,
                 fmt::format("price: {} ranks take more than {} steps, none stand for the others "
                             "and no rounds repeat; price fewer ranks, larger segments or more "
                             "steps",
                             ranks, options.most_steps));
  }
};

}  // namespace

std::string price_result::how(int team) const {
  std::string text = fmt::format("all {} ranks", team);
  if (ranks_walked == 1 && team > 1) {
    text = fmt::format("1 rank stands for all {}", team);
  } else if (!stands_for.empty()) {
    text = fmt::format("{} ranks stand for their classes of all {}", ranks_walked, team);
  } else if (ranks_walked < team) {
    text = fmt::format("{} ranks stand for all {}", ranks_walked, team);
  }
  if (rounds_skipped != 0) text += fmt::format("; {} rounds passed over", rounds_skipped);
  return text;
}

price_result price(int ranks, function_ref<generator(int)> schedule_of, const machine& on,
                   const transfer_rules& rules, const price_options& options) {
  if (ranks < 1) {
    throw error(error_kind::argument, fmt::format("price: {} ranks; at least 1", ranks));
  }
  const machine costs = detail::with_costs(on, options.messages);
  const attempt to_price{ranks, schedule_of, costs, rules, options};
  const bool alike = !options.every_rank && schedule_of(0).wants().alike;
  const int some = ranks_until_alike(costs);
  price_result result;
  // A few nodes, not all full, are not alike.
  constexpr int many_nodes = 8;
  const bool same_nodes = ranks % some == 0 || ranks / some >= many_nodes;
  if (alike && some < ranks && same_nodes) {
    // Ranks of one node (or group), linked to each other as the nodes are: where the schedule is
    // the same from node to node, this is exact. Where it is not, one rank stands for all.
    if (some > 1) {
      const auto unit = static_cast<std::uint32_t>(std::lcm(4, some));
      if (!to_price.with({.walked = some, .rounds_in_unit = unit}, result)) return result;
    }
    const int together = ranks_on_port(costs, ranks);
    if (!to_price.with({.walked = 1, .alike_on_node = together}, result)) return result;
  }
  if (!options.every_rank && ranks > few_ranks && schedule_of(0).wants().rank_class != 0) {
    const detail::rank_classes classes = detail::find_classes(ranks, schedule_of);
    const int walked = static_cast<int>(classes.members.size());
    const run_plan by_class{
        .walked = walked, .alike_on_node = ranks_on_port(costs, ranks), .classes = &classes};
    if (walked * members_worth_it <= ranks && !to_price.with(by_class, result)) {
      return result;
    }
  }
  if (ranks > most_ranks_walked) {
    throw error(error_kind::argument,
                fmt::format("price: {} ranks of which none stand for the others; at most {} can be "
                            "walked: price fewer",
                            ranks, most_ranks_walked));
  }
  if (const auto failure = to_price.with({.walked = ranks}, result)) throw error(*failure);
  return result;
}

}  // namespace upwash::schedule
