// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/candidates.hpp"

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/compact.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::collective {
namespace {

constexpr std::size_t most_candidates = 32;

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

/// The machine, with what the executor takes for a message.
machine with_edges(machine on) {
  const duration each = on.processor.edge.value_or(duration());
  for (machine_level& level : on.levels) {
    level.send_overhead = level.send_overhead.value_or(duration()) + each;
    level.receive_overhead = level.receive_overhead.value_or(duration()) + each;
    if (level.loggp) level.loggp->gap_ns_per_byte += on.processor.edge_ns_per_byte.value_or(0);
  }
  return on;
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
  for (const algorithm* each : from.of(call.what)) {
    const auto its = candidates_of(*each, call);
    all.insert(all.end(), its.begin(), its.end());
  }
  return all;
}

std::uint64_t steps_worth_a_choice(int ranks) noexcept {
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(ranks) * 800, 10'000, 200'000);
}

predictor::predictor(const machine& on) : on_(on), edged_(with_edges(on)) {}

/// What does not run on the board's lines goes through the executor.
const machine& predictor::seen_by(const selection& one, const problem& call) const {
  const schedule::generator steps = one.schedule_of(call, call.root);
  const bool fetches = steps.wants().exposes_input || steps.wants().exposes_output;
  return call.direct_access && !fetches && detail::fits_board(steps, call.root, call.shared_scratch)
             ? on_
             : edged_;
}

schedule::transfer_rules rules_of(const problem& call) {
  schedule::transfer_rules rules;
  rules.addresses = call.addresses;
  rules.entry = call.entry;
  rules.direct = call.direct_access;
  rules.eager_bytes = call.eager_bytes;
  return rules;
}

predictor::prediction predictor::predict(const selection& one, const problem& call,
                                         std::uint64_t most_steps, duration enough) const {
  schedule::price_options options;
  options.free_where_absent = true;
  options.most_steps = most_steps;
  options.coarse = true;
  if (!call.overlapped) options.most_time = enough;
  options.steps_before_skipping = most_steps / 8;
  try {
    const auto priced = schedule::price(
        call.ranks, [&](int rank) { return one.priced_schedule_of(call, rank); },
        seen_by(one, call), rules_of(call), options);
    return {call.overlapped ? priced.processor_most : priced.completion, priced.steps_walked};
  } catch (const error&) {
    return {std::nullopt, most_steps / 4};  // about: it did not say where it stopped
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

std::vector<ranked> ranking(const std::vector<selection>& all, const problem& call,
                            const predictor& by, std::uint64_t most_steps) {
  std::vector<ranked> found;
  found.reserve(all.size());
  for (const selection& each : all) {
    found.push_back({each, by.predict(each, call, most_steps).time});
  }
  std::stable_sort(found.begin(), found.end(), [](const ranked& a, const ranked& b) {
    return a.predicted.value_or(duration::max()) < b.predicted.value_or(duration::max());
  });
  return found;
}

}  // namespace upwash::collective
