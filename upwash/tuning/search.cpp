// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <optional>

#include "upwash/base/error.hpp"
#include "upwash/tuning/detail/conductor.hpp"
#include "upwash/tuning/statistics.hpp"

namespace upwash::tuning {
namespace {

using collective::ranked;
using detail::conductor;

constexpr double improvement = 1.02;     ///< less is none
constexpr double hopeless = 1.5;         ///< so much slower in the first sample: no more of it
constexpr double sibling_penalty = 0.2;  ///< on the prediction, for each relative before
/// The model may be wrong by so much more than it was so far: where it was wrong by different
/// amounts, by more, up to the latter.
constexpr double least_margin = 1.25;
constexpr double most_margin = 2;
/// In virtual time nothing disturbs a measurement, and the model prices what is simulated: chosen
/// on simulated lemieux, 16 and 64 ranks.
constexpr double least_margin_in_virtual_time = 1.05;
constexpr int most_in_vain_in_virtual_time = 1;
constexpr int least_pairs = 3;

std::string name_of(const ranked& one) { return text_of(one.what); }

/// The search at rank 0.
class guide {
 public:
  guide(conductor& orchestra, const search_options& options, std::size_t all,
        function_ref<void(const search_progress&)> report)
      : orchestra_(orchestra), options_(options), all_(all), report_(report) {}

  /// Measures one and keeps it; false: nothing could be measured.
  void measure(const ranked& one);
  /// Why the search is over before the rest is measured; empty: it goes on.
  [[nodiscard]] std::string over(std::span<const ranked> rest) const;

  [[nodiscard]] std::vector<measured> order() && { return std::move(order_); }
  [[nodiscard]] double seconds() const noexcept { return (steady_now() - begin_).seconds(); }
  [[nodiscard]] placement where() const noexcept { return where_.value(); }
  /// Whether the last one measured is better than all before.
  [[nodiscard]] bool improved() const noexcept {
    return order_.size() > 1 && best_ + 1 == order_.size();
  }

 private:
  [[nodiscard]] double sample(const std::string& algorithm, long calls);
  /// A candidate and the best so far, sampled in turn.
  struct duel {
    double least = std::numeric_limits<double>::infinity();
    double least_of_best = std::numeric_limits<double>::infinity();
    std::uint32_t samples = 0;
    bool surely_faster = false;
    [[nodiscard]] double ratio() const { return samples == 0 ? 1 : least / least_of_best; }
  };
  [[nodiscard]] duel against_best(const std::string& algorithm, long calls, bool early);
  [[nodiscard]] double compare(const std::string& algorithm, long calls, std::uint32_t& samples);
  void keep(measured one);

  conductor& orchestra_;
  const search_options& options_;
  const std::size_t all_;
  function_ref<void(const search_progress&)> report_;
  const duration begin_ = steady_now();
  std::vector<measured> order_;
  std::size_t best_ = 0;
  long best_calls_ = 1;
  int in_vain_ = 0;                 ///< candidates since the last improvement
  std::optional<placement> where_;  ///< of the first sample
};

/// A sample in the placement of the first. The cores may lie elsewhere for long: after some tries
/// what there is counts.
double guide::sample(const std::string& algorithm, long calls) {
  detail::sample last;
  const int tries = orchestra_.tries();
  for (int i = 0; i < tries; ++i) {
    const detail::sample taken = orchestra_.take(algorithm, calls);
    // One in another placement says more than one that was disturbed.
    if (i == 0 || taken.where != placement::disturbed) last = taken;
    if (taken.where == placement::disturbed) continue;
    if (!where_) where_ = taken.where;
    if (taken.where == *where_) break;
  }
  // Cores that never hold still are shared with other programs.
  if (!where_) where_ = placement::shared;
  return last.ns;
}

/// Samples of both in turn, so that what disturbs meets both. Ends early when it is sure (95 %) who
/// is faster, or when the candidate is hopeless.
guide::duel guide::against_best(const std::string& algorithm, long calls, bool early) {
  const std::string best = order_[best_].algorithm;
  std::vector<double> logs;
  duel seen;
  while (static_cast<int>(logs.size()) < options_.samples) {
    const double own = sample(algorithm, calls);
    const double other = sample(best, best_calls_);
    if (own <= 0 || other <= 0) break;
    seen.least = std::min(seen.least, own);
    seen.least_of_best = std::min(seen.least_of_best, other);
    logs.push_back(std::log(own / other));
    if (!early) continue;
    if (logs.size() == 1 && logs[0] > std::log(hopeless)) break;
    if (static_cast<int>(logs.size()) < least_pairs) continue;
    const estimate sure = estimate_of(logs);
    if (std::abs(sure.mean) > sure.half_width) break;
  }
  const estimate sure = estimate_of(logs);
  seen.surely_faster = sure.mean + sure.half_width < 0;
  seen.samples = static_cast<std::uint32_t>(logs.size());
  return seen;
}

/// What a call takes, by comparison with the best so far: by the least of the samples, since what
/// disturbs only adds. Of many candidates some look better by luck: one replaces the best only
/// when it is surely faster, and again in fresh samples, which alone say by how much.
double guide::compare(const std::string& algorithm, long calls, std::uint32_t& samples) {
  const double best = order_[best_].ns;
  const duel first = against_best(algorithm, calls, !options_.exhaustive);
  samples = std::max(first.samples, 1U);
  if (first.surely_faster) {
    const duel again = against_best(algorithm, calls, false);
    samples += again.samples;
    if (again.surely_faster) return best * std::min(again.ratio(), 1.0);
  }
  return best * std::max(first.ratio(), 1.0);
}

void guide::keep(measured one) {
  one.seconds = seconds();
  order_.push_back(std::move(one));
  const measured& last = order_.back();
  const bool first = order_.size() == 1;
  const bool better = !first && last.ns < order_[best_].ns;
  in_vain_ = !first && last.ns * improvement < order_[best_].ns ? 0 : in_vain_ + 1;
  if (better) best_ = order_.size() - 1;
  report_({order_.size(), all_, &order_[best_], options_.budget_seconds - seconds()});
}

void guide::measure(const ranked& one) {
  measured now;
  now.algorithm = name_of(one);
  now.predicted_ns = one.predicted ? one.predicted->ns() : 0;
  const long calls = orchestra_.calibrate(now.algorithm, options_.sample_seconds);
  if (order_.empty() || orchestra_.simulated()) {
    now.samples = static_cast<std::uint32_t>(orchestra_.simulated() ? 1 : options_.samples);
    now.ns = sample(now.algorithm, calls);
    for (std::uint32_t i = 1; i < now.samples; ++i) {
      now.ns = std::min(now.ns, sample(now.algorithm, calls));
    }
  } else {
    now.ns = compare(now.algorithm, calls, now.samples);
  }
  const std::size_t before = best_;
  keep(std::move(now));
  if (order_.size() == 1 || best_ != before) best_calls_ = calls;
}

std::string guide::over(std::span<const ranked> rest) const {
  if (seconds() > options_.budget_seconds) return "the budget is used up";
  const auto most = std::max(1.0, options_.share * static_cast<double>(all_));
  if (static_cast<double>(order_.size()) >= most) return "the share of candidates is used up";
  if (options_.exhaustive) return {};
  const bool simulated = orchestra_.simulated();
  const int patience =
      simulated ? std::min(options_.patience, most_in_vain_in_virtual_time) : options_.patience;
  if (in_vain_ > patience) {
    return fmt::format("{} in a row did not improve", in_vain_);
  }
  // How much less and more than predicted something took.
  double luck = std::numeric_limits<double>::infinity();
  double bad_luck = 0;
  for (const measured& each : order_) {
    if (each.predicted_ns <= 0) continue;
    luck = std::min(luck, each.ns / each.predicted_ns);
    bad_luck = std::max(bad_luck, each.ns / each.predicted_ns);
  }
  const double least = simulated ? least_margin_in_virtual_time : least_margin;
  const double margin = std::min(least * bad_luck / luck, most_margin);
  const auto hopeful = [&](const ranked& each) {
    return !each.predicted || each.predicted->ns() * luck < margin * order_[best_].ns;
  };
  if (order_.size() >= 2 && std::none_of(rest.begin(), rest.end(), hopeful)) {
    return "no other can be better by the model";
  }
  return {};
}

/// A relative of what has just won comes next: where the model is wrong about an algorithm, the
/// search follows its parameter as long as that pays.
void bring_forward(std::span<ranked> rest, const collective::algorithm* winner) {
  const auto relative = std::find_if(
      rest.begin(), rest.end(), [&](const ranked& each) { return each.what.chosen == winner; });
  if (relative != rest.end()) std::rotate(rest.begin(), relative, relative + 1);
}

void check(const search_options& options) {
  if (!(options.budget_seconds > 0)) {
    throw error(error_kind::argument, fmt::format("a search needs time: a budget of {} s is none",
                                                  options.budget_seconds));
  }
  if (!(options.share > 0 && options.share <= 1)) {
    throw error(error_kind::argument,
                fmt::format("a share of {} of the candidates: more than 0 and at most 1 is wanted",
                            options.share));
  }
}

finding finding_of(const collective::problem& call, placement where, std::size_t candidates,
                   const std::vector<measured>& order) {
  finding found;
  found.at = situation_of(call, where);
  found.seconds = order.back().seconds;
  found.candidates = static_cast<std::uint32_t>(candidates);
  for (const measured& each : order) {
    found.results.push_back({each.algorithm, each.samples, std::time(nullptr), each.ns});
  }
  return found;
}

}  // namespace

std::vector<ranked> guided_order(const std::vector<ranked>& ranking) {
  std::map<const collective::algorithm*, int> of_algorithm;
  std::map<duration, int> of_price;
  std::vector<std::pair<double, const ranked*>> keyed;
  for (const ranked& each : ranking) {
    double cost = std::numeric_limits<double>::infinity();
    if (each.predicted) {
      const int relatives = std::max(of_algorithm[each.what.chosen]++, of_price[*each.predicted]++);
      cost = each.predicted->ns() * (1 + sibling_penalty * relatives);
    }
    keyed.emplace_back(cost, &each);
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ranked> found;
  for (const auto& [cost, each] : keyed) found.push_back(*each);
  return found;
}

search_outcome search(job& here, const collective::problem& call,
                      const collective::selection& untuned, const std::vector<ranked>& ranking,
                      const search_options& options,
                      function_ref<void(const search_progress&)> report) {
  check(options);
  conductor orchestra(here, call);
  if (here.rank() != 0) {
    orchestra.follow();
    return {};
  }
  std::vector<ranked> order = guided_order(ranking);
  const std::string first = text_of(untuned);
  const auto at = std::find_if(order.begin(), order.end(),
                               [&](const ranked& each) { return name_of(each) == first; });
  if (at == order.end()) {
    order.insert(order.begin(), ranked{untuned, std::nullopt});
  } else {
    std::rotate(order.begin(), at, at + 1);
  }
  guide leader(orchestra, options, order.size(), report);
  search_outcome outcome;
  outcome.ended = "all were measured";
  std::span<ranked> rest(order);
  do {
    const ranked& now = rest.front();
    leader.measure(now);
    rest = rest.subspan(1);
    if (leader.improved()) bring_forward(rest, now.what.chosen);
    if (rest.empty()) break;
    if (std::string why = leader.over(rest); !why.empty()) {
      outcome.ended = std::move(why);
      break;
    }
  } while (true);
  orchestra.end();
  const placement where = leader.where();
  outcome.order = std::move(leader).order();
  outcome.found = finding_of(call, where, order.size(), outcome.order);
  return outcome;
}

}  // namespace upwash::tuning
