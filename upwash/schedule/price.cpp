// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "upwash/base/error.hpp"
#include "upwash/schedule/detail/price/event_run.hpp"

namespace upwash::schedule {
namespace {

using detail::event_run;
using detail::run_end;
using detail::run_plan;

constexpr int most_representatives = 256;
constexpr int few_ranks = 256;       ///< are all walked, unless they are alike
constexpr int members_worth_it = 8;  ///< of a class, in the mean, for each that is walked
constexpr int members_at_least = 2;  ///< the same, where all ranks would be too many
constexpr int many_ranks = 16'384;
/// All ranks are walked for so many steps rather than nodes that differ a little taken as one.
constexpr std::uint64_t cheap_steps = 100'000;
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

error too_many_steps(int ranks, const price_options& options) {
  return {error_kind::argument,
          fmt::format("price: {} ranks take more than {} steps, none stand for the others and no "
                      "rounds repeat; price fewer ranks, larger segments or more steps",
                      ranks, options.most_steps)};
}

struct attempt {
  int ranks;
  function_ref<generator(int)> schedule_of;
  const machine& on;
  const transfer_rules& rules;
  const price_options& options;

  /// Nothing: priced, or longer than anybody wants to know: whoever stands for more would only be
  /// less right about it. Else why not.
  std::optional<error> with(run_plan plan, price_result& result) const {
    plan.ranks = ranks;
    plan.least_window = plan.walked > many_ranks ? small_window : executor_window;
    // What a window lets through comes back as a batch a window later.
    plan.rounds_in_unit = std::lcm(plan.rounds_in_unit, plan.least_window);
    event_run run(plan, schedule_of, on, rules, options);
    switch (run.run()) {
      case run_end::complete: run.write_result(result); return {};
      case run_end::stuck: return error(error_kind::fault, "price: " + run.what_is_stuck());
      case run_end::too_late: result.completion = duration::max(); return {};
      case run_end::too_long: break;
    }
    return too_many_steps(ranks, options);
  }
};

/// Whether all ranks together have more steps than that, as far as one tells.
bool all_have_more_than(std::uint64_t steps_of_all, int ranks,
                        function_ref<generator(int)> schedule_of, const price_options& options) {
  const std::uint64_t most = steps_of_all / static_cast<std::uint64_t>(ranks);
  generator steps = schedule_of(ranks / 2);
  facts known;
  if (options.facts_of) known = (*options.facts_of)(ranks / 2);
  std::uint64_t walked = 0;
  for (step s; walked <= most && steps.next(s, known);) ++walked;
  return walked > most;
}

/// Whether all ranks together are sure to have more steps than that, of which none repeat: by some
/// ranks at uneven distances, who would have to be twice as busy as the others.
bool surely_more_than(std::uint64_t most, int ranks, function_ref<generator(int rank)> schedule_of,
                      const price_options& options) {
  constexpr int samples = 32;
  if (ranks < 2 * samples) return false;
  // Whoever takes part has a step, and what comes was sent by somebody.
  step first;
  const bool takes_part = schedule_of(ranks - 1).next(first) && !first.in_network();
  if (takes_part && 2 * (static_cast<std::uint64_t>(ranks) - 1) > most) return true;
  const std::uint64_t too_many = 2 * most / static_cast<std::uint64_t>(ranks) * samples;
  std::uint64_t walked = 0;
  for (int i = 0; i < samples; ++i) {
    const int rank = static_cast<int>((std::int64_t{2} * i + 1) * ranks / (2 * samples)) | (i & 1);
    generator steps = schedule_of(rank);
    facts known;
    if (options.facts_of) known = (*options.facts_of)(rank);
    for (step s; walked <= too_many && steps.next(s, known); ++walked) {
      if (steps.repeats().rounds > 1) return false;
    }
  }
  return walked > too_many;
}

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

namespace {

/// Whether a rank at the same place of a later unit of ranks does the same: kinds of steps, bytes,
/// and how far the peers are. By a sample: three ranks of the unit, the beginning of what they do.
bool units_are_alike(int unit, const attempt& of) {
  constexpr int compared_steps = 256;
  const auto level = [&](int rank, const step& of_rank) {
    const bool alone = of_rank.peer < 0;
    return alone ? std::size_t{0} : of.on.level_between(rank, of_rank.peer) + 1;
  };
  const auto same = [&](int one, int other) {
    generator a = of.schedule_of(one);
    generator b = of.schedule_of(other);
    const facts of_one = of.options.facts_of ? (*of.options.facts_of)(one) : facts{};
    const facts of_other = of.options.facts_of ? (*of.options.facts_of)(other) : facts{};
    step x;
    step y;
    for (int i = 0; i < compared_steps; ++i) {
      const bool more = a.next(x, of_one);
      if (more != b.next(y, of_other)) return false;
      if (!more) return true;
      if (x.kind != y.kind || x.left.bytes != y.left.bytes || x.into.bytes != y.into.bytes ||
          level(one, x) != level(other, y)) {
        return false;
      }
    }
    return true;
  };
  for (const int later : {1, 2, 3}) {
    for (const int place : {0, unit / 2, unit - 1}) {
      const int other = later * unit + place;
      if (other < of.ranks && !same(place, other)) return false;
    }
  }
  return true;
}

/// So many ranks, whole nodes, after which the schedule goes on as it began; 0: none are known.
int unit_alike(int ranks_of_node, const attempt& of) {
  for (const int nodes : {1, 2, 3, 4, 5, 8}) {
    const int unit = nodes * ranks_of_node;
    if (unit < of.ranks && units_are_alike(unit, of)) return unit;
  }
  return 0;
}

/// By few ranks that stand for all, where the schedule says that ranks are alike. False: they
/// cannot.
bool price_alike(const attempt& of, bool too_many_for_all, price_result& result) {
  const int ranks = of.ranks;
  const int some = ranks_until_alike(of.on);
  const auto has_more_than = [&](std::uint64_t steps) {
    return all_have_more_than(steps, ranks, of.schedule_of, of.options);
  };
  // A few nodes, not all full, are not alike.
  constexpr int many_nodes = 8;
  const bool full = ranks % some == 0 || (ranks / some >= many_nodes && has_more_than(cheap_steps));
  if (!too_many_for_all && (some >= ranks || !full)) return false;
  // Ranks of one node (or group), linked to each other as the nodes are: where the schedule is
  // the same from node to node, this is exact.
  const int unit = some == 1 ? 1 : unit_alike(some, of);
  const auto rounds = static_cast<std::uint32_t>(std::lcm(4, std::max(unit, 1)));
  if (unit > 1 && !of.with({.walked = unit, .rounds_in_unit = rounds}, result)) return true;
  if (unit == 0 && !too_many_for_all && !has_more_than(of.options.most_steps)) return false;
  // Where it is not, one rank stands for all: the last of a node, whose neighbour is on another.
  const int last = std::min(some, ranks) - 1;
  const int together = ranks_on_port(of.on, ranks);
  return !of.with({.walked = 1, .first = last, .alike_on_node = together}, result);
}

/// By a few of each class that the schedule names. False: they cannot.
bool price_classes(const attempt& of, bool too_many_for_all, price_result& result) {
  if (!too_many_for_all && of.ranks <= few_ranks) return false;
  const detail::rank_classes classes = detail::find_classes(of.ranks, of.schedule_of);
  const int walked = static_cast<int>(classes.members.size());
  const int worth_it = too_many_for_all ? members_at_least : members_worth_it;
  if (walked == 0 || walked * worth_it > of.ranks) return false;
  const int together = ranks_on_port(of.on, of.ranks);
  return !of.with({.walked = walked, .alike_on_node = together, .classes = &classes}, result);
}

/// Whether all ranks are as far from each other, and have ports of their own there.
bool are_at_one_level(const attempt& of) {
  if (of.ranks == 1) return false;
  const std::size_t level = of.on.level_between(0, 1);
  const bool is_inside = level + 1 < of.on.levels.size() || ranks_on_port(of.on, of.ranks) == 1;
  return is_inside && level == of.on.level_between(0, of.ranks - 1);
}

/// By the one that takes as long as all. False: it does not.
bool price_busiest(const attempt& of, int busiest, price_result& result) {
  if (!of.rules.direct || !are_at_one_level(of)) return false;
  return !of.with({.walked = 1, .first = busiest}, result);
}

}  // namespace

price_result price(int ranks, function_ref<generator(int)> schedule_of, const machine& on,
                   const transfer_rules& rules, const price_options& options) {
  if (ranks < 1) {
    throw error(error_kind::argument, fmt::format("price: {} ranks; at least 1", ranks));
  }
  const detail::machine_with_costs costs(on, options.messages);
  const attempt to_price{ranks, schedule_of, costs.get(), rules, options};
  price_result result;
  if (!options.every_rank) {
    const needs wants = schedule_of(0).wants();
    if (wants.busiest >= 0 && price_busiest(to_price, wants.busiest, result)) return result;
    const bool few_may_stand = wants.alike || wants.rank_class != 0;
    const bool too_many = few_may_stand && options.coarse &&
                          all_have_more_than(options.most_steps, ranks, schedule_of, options);
    if (wants.alike && price_alike(to_price, too_many, result)) return result;
    if (wants.rank_class != 0 && price_classes(to_price, too_many, result)) return result;
  }
  if (ranks > most_ranks_walked) {
    throw error(error_kind::argument,
                fmt::format("price: {} ranks of which none stand for the others; at most {} can be "
                            "walked: price fewer",
                            ranks, most_ranks_walked));
  }
  if (surely_more_than(options.most_steps, ranks, schedule_of, options)) {
    throw too_many_steps(ranks, options);
  }
  if (const auto failure = to_price.with({.walked = ranks}, result)) throw error(*failure);
  return result;
}

}  // namespace upwash::schedule
